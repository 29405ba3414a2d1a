import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPool, readLoginFacts } from '../../src/platform/database/connection.js';
import { excessivePower } from '../../src/platform/database/login-power.js';
import { migrate } from '../../src/platform/database/migrator.js';
import { createTestDatabase } from '../support/database.js';

const server = inject('adminUrl');
let name: string;
let url: string;
let admin: pg.Client;

const urlOf = (database: string): string => {
  const changed = new URL(server);
  changed.pathname = `/${database}`;
  return changed.toString();
};

const onServer = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(sql);
  await client.end();
};

beforeEach(async () => {
  name = `forecourt_migrate_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  url = urlOf(name);
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
});

afterEach(async () => {
  await admin.end();
  await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
});

const tablesIn = async (schema: string): Promise<string[]> => {
  const { rows } = await admin.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
    [schema],
  );
  return rows.map((r) => r.name);
};

describe('the migration runner', () => {
  it('brings an empty database up once when many processes start together, and does nothing the second time', async () => {
    const reports = await Promise.all(Array.from({ length: 6 }, () => migrate(url)));
    expect(reports.filter((r) => r.applied.length > 0)).toHaveLength(1);
    expect(await tablesIn('forecourt')).toContain('rooftops');
    expect((await tablesIn('bullmq')).length).toBeGreaterThan(0);
    const again = await migrate(url);
    expect(again.applied).toEqual([]);
    expect(again.alreadyApplied).toBe(reports.flatMap((r) => r.applied).length);
  });

  it('brings several databases of one server up at the same moment', async () => {
    const other = `${name}_b`;
    await onServer(`CREATE DATABASE ${other}`);
    try {
      const reports = await Promise.all([migrate(url), migrate(urlOf(other))]);
      expect(reports.every((r) => r.applied.length > 0)).toBe(true);
    } finally {
      await onServer(`DROP DATABASE ${other} WITH (FORCE)`);
    }
  });

  it('refuses a migration that was changed after it was applied', async () => {
    await migrate(url);
    await admin.query(
      `UPDATE forecourt._prisma_migrations SET checksum = repeat('0', 64) WHERE migration_name LIKE '%_foundation'`,
    );
    await expect(migrate(url)).rejects.toThrow(/_foundation was changed after it was applied/);
  });

  it('refuses a database that is ahead of this version', async () => {
    await migrate(url);
    await admin.query(
      `INSERT INTO forecourt._prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', '', '29990101000000_later', now())`,
    );
    await expect(migrate(url)).rejects.toThrow(/29990101000000_later, which this version does not know/);
  });

  it('rolls a failed migration back wholly, keeps nothing of it on record, and succeeds once the obstacle is gone', async () => {
    await admin.query(
      'CREATE SCHEMA forecourt AUTHORIZATION forecourt_owner; CREATE TABLE forecourt.unit_events (obstacle integer)',
    );
    await expect(migrate(url)).rejects.toThrow(/_foundation failed and was rolled back/);
    expect((await tablesIn('forecourt')).toSorted()).toEqual(['_prisma_migrations', 'unit_events']);
    expect((await admin.query('SELECT FROM forecourt._prisma_migrations')).rowCount).toBe(0);
    await admin.query('DROP TABLE forecourt.unit_events');
    expect((await migrate(url)).applied.length).toBeGreaterThan(0);
  });

  it('holds no lock after a failure', async () => {
    await migrate(url);
    await admin.query(`UPDATE forecourt._prisma_migrations SET checksum = ''`);
    await expect(migrate(url)).rejects.toThrow();
    const { rows } = await admin.query(
      `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE locktype = 'advisory' AND d.datname = $1`,
      [name],
    );
    expect(rows).toEqual([]);
  });
});

describe('the login of the application', () => {
  it('is reported as too powerful when it is a superuser, and fine when it is only the application role', async () => {
    const database = await createTestDatabase();
    const open = (loginUrl: string): pg.Pool =>
      openPool({ url: loginUrl, size: 1, waitMs: 2000, name: 'login', onError: () => undefined });
    const [strong, plain] = [open(database.adminUrl), open(database.appUrl)];
    expect(excessivePower(await readLoginFacts(strong))).toMatch(
      /is a superuser; use one that is NOSUPERUSER NOBYPASSRLS/,
    );
    expect(await readLoginFacts(plain)).toEqual({
      role: 'forecourt_app',
      login: 'forecourt_app',
      superuser: false,
      bypassesRowSecurity: false,
    });
    expect(excessivePower(await readLoginFacts(plain))).toBeUndefined();
    await Promise.all([strong.end(), plain.end()]);
    await database.drop();
  });

  it.each([
    ['a superuser', { superuser: true, bypassesRowSecurity: false }],
    ['allowed to bypass row-level security', { superuser: false, bypassesRowSecurity: true }],
  ])('is reported as too powerful when it is %s', (power, facts) => {
    expect(excessivePower({ role: 'forecourt_app', login: 'etl', ...facts })).toContain(`"etl" is ${power}`);
  });
});
