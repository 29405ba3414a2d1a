import { randomBytes, createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../src/platform/database/migrator.js';
import { cutoffsUntil, PruningWorld } from '../support/pruning-world.js';

const PRISMA = fileURLToPath(new URL('../../prisma/', import.meta.url));
const YEARS = '20261130000042_entries_by_year';

describe('entries of a log that is older than their years', () => {
  const name = `forecourt_years_${randomBytes(6).toString('hex')}`;
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${name}`;
  let admin: pg.Client;

  const onServer = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: inject('adminUrl') });
    await client.connect();
    await client.query(sql);
    await client.end();
  };

  /** Records of a day, made as the trail takes them, and numbered. */
  const record = async (day: string, from: number, to: number): Promise<void> => {
    await admin.query(`INSERT INTO audit_events (recorded_at, event_id, organization_id, occurred_at, trace_id, surface, operation, actor_kind, rooftop_ids, resource_ids, decision, outcome, canon)
      SELECT '${day}'::timestamptz + n * interval '1 second', 'event.' || n, 'org.old', now(), 'trc', 'mcp', 'op', 'agent', '{}', '{}', 'allow', 'succeeded', convert_to('event ' || n, 'UTF8')
      FROM generate_series(${from}, ${to - 1}) AS n`);
    await admin.query('SELECT sequence_audit(100000)');
  };
  const entries = async (): Promise<unknown[]> =>
    (
      await admin.query<Record<string, unknown>>(
        'SELECT seq::integer AS seq, recorded_at, event_id, leaf_hash FROM audit_entries ORDER BY organization_id, seq',
      )
    ).rows;

  beforeAll(async () => {
    await onServer(`CREATE DATABASE ${name}`);
    admin = new pg.Client({ connectionString: url.toString(), options: '-c search_path=forecourt' });
    await admin.connect();
    await migrateBefore(YEARS);
  });
  afterAll(async () => {
    await admin.end();
    await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
  });

  /** Every migration before one, as `migrate` applies them. */
  async function migrateBefore(first: string): Promise<void> {
    await admin.query(await readFile(join(PRISMA, 'bootstrap/roles.sql'), 'utf8'));
    await admin.query(`SET ROLE forecourt_owner;
      CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz, migration_name varchar(255) NOT NULL UNIQUE,
        logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`);
    const names = (await readdir(join(PRISMA, 'migrations'))).filter((folder) => folder < first).toSorted();
    for (const folder of names) {
      if (folder.endsWith('.toml')) continue;
      const sql = await readFile(join(PRISMA, 'migrations', folder, 'migration.sql'), 'utf8');
      await admin.query(`BEGIN; ${sql}; COMMIT`);
      await admin.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
        randomUUID(),
        createHash('sha256').update(sql).digest('hex'),
        folder,
      ]);
    }
    await admin.query('RESET ROLE');
  }

  it('keep their place and are not copied, and what comes goes on after them', async () => {
    await admin.query(`SET ROLE forecourt_owner; CREATE TABLE audit_events_2025_12 (LIKE audit_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED);
      ALTER TABLE audit_events ATTACH PARTITION audit_events_2025_12 FOR VALUES FROM ('2025-12-01Z') TO ('2026-01-01Z'); RESET ROLE`);
    await record('2025-12-20Z', 0, 300);
    await record(new Date().toISOString(), 300, 700);
    const before = await entries();
    const file = await admin.query(`SELECT pg_relation_filenode('audit_entries') AS node`);
    expect(before).toHaveLength(700);

    await migrate(url.toString());
    expect(await entries()).toEqual(before);
    const { rows: parts } = await admin.query(
      `SELECT pg_relation_filenode(c.oid) AS node, c.relname AS name, c.relforcerowsecurity AS forced FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'audit_entries'::regclass ORDER BY c.relname`,
    );
    expect(parts[0]).toMatchObject({ node: (file.rows[0] as { node: number }).node, forced: true });
    await record(new Date().toISOString(), 700, 800);
    expect((await entries()).map((entry) => (entry as { seq: number }).seq)).toEqual(
      Array.from({ length: 800 }, (_, n) => n),
    );
  });

  it('are changed and deleted by nobody, in any mode, as before', async () => {
    const { rows: parts } = await admin.query<{ name: string }>(
      'SELECT DISTINCT tableoid::regclass::text AS name FROM audit_entries',
    );
    const part = parts[0]!.name;
    for (const mode of ['origin', 'replica'])
      for (const statement of [
        ...['UPDATE audit_entries SET seq = seq + 1', 'DELETE FROM audit_entries', 'TRUNCATE audit_entries'],
        ...[`UPDATE ${part} SET seq = seq + 1`, `DELETE FROM ${part}`, `TRUNCATE ${part}`, `DROP TABLE ${part}`],
      ]) {
        await admin.query(`BEGIN; SET LOCAL session_replication_role = ${mode}`);
        const refused = await admin.query(statement).then(
          () => undefined,
          (error: unknown) => (error as { code: string }).code,
        );
        await admin.query('ROLLBACK');
        expect(refused, `${statement} in ${mode} mode`).toBe('23001');
      }
  });
});

describe('a year of entries', () => {
  const ONE = 'org.year.one';
  const OTHER = 'org.year.other';
  let world: PruningWorld;

  beforeAll(async () => {
    world = await PruningWorld.open();
    for (const organization of [ONE, OTHER]) {
      await world.addOrganization(organization);
      await world.log.grow(organization, 600, 300);
      await world.age(organization, 512, '2020_03');
      await world.addRun(organization, 'run.year', cutoffsUntil(await world.now()));
    }
  });
  afterAll(() => world.close());

  const there = async (year: number): Promise<boolean> =>
    (
      await world.log.admin.query<{ there: boolean }>(
        `SELECT to_regclass('audit_entries_${year}') IS NOT NULL AS there`,
      )
    ).rows[0]!.there;
  const drop = async (year: number): Promise<unknown> =>
    (await world.log.pool.query<{ dropped: boolean }>(`SELECT drop_audit_year(${year}) AS dropped`)).rows[0]!.dropped;

  it('stays while a month of it does, and while a run has not the evidence of all its rows; then it goes', async () => {
    for (const organization of [ONE, OTHER]) {
      await world.step(organization, 'run.year'); // records the pruning
      await world.step(organization, 'run.year'); // nothing is held
      expect(await drop(2020)).toBe(false);
    }
    // The month is over for both now, and goes with the first one's rows.
    expect(await world.carryOut(ONE, 'run.year')).toMatchObject({ taken: 512, held: 0 });
    const { rows } = await world.log.admin.query(`SELECT FROM audit_events WHERE recorded_at < '2021-01-01'`);
    expect(rows).toHaveLength(0);
    expect(await drop(2020)).toBe(false);
    expect(await there(2020)).toBe(true);
    await world.log.publishing.run();
    expect(await world.log.verify(ONE)).toMatchObject({ result: 'pruned', findings: [] });

    // The other one has its evidence of what went, record by record.
    expect(await world.carryOut(OTHER, 'run.year')).toMatchObject({ taken: 512, held: 0 });
    expect(await there(2020)).toBe(false);
    await world.log.publishing.run();
    for (const organization of [ONE, OTHER])
      expect(await world.log.verify(organization)).toMatchObject({ result: 'pruned', findings: [] });
  });

  it('may hold a number that another year holds, and verification finds it', async () => {
    await world.log.admin.query(
      `INSERT INTO audit_entries SELECT organization_id, seq, recorded_at + interval '1 year', event_id || '.twice', leaf_hash FROM audit_entries
       WHERE organization_id = $1 AND seq = 550`,
      [OTHER],
    );
    const { result, findings } = await world.log.verify(OTHER);
    expect(result).toBe('tampered');
    expect(findings).toContainEqual({ kind: 'entry_twice', from: 550, to: 550 });
  });

  it('does not go before it has ended, nor twice', async () => {
    expect(await drop(2020)).toBe(false);
    expect(await drop(new Date().getUTCFullYear())).toBe(false);
    expect(await drop(2035)).toBe(false);
  });
});
