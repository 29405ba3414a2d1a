import { generateKeyPairSync } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newRequestId, newTraceId } from '../../src/kernel/ids.js';
import type { AuditRecord } from '../../src/kernel/ports/audit-recorder.js';
import { PublishCheckpoints } from '../../src/modules/audit/app/publish-checkpoints.js';
import { VerifyAuditLog } from '../../src/modules/audit/app/verify-audit-log.js';
import type { Verification } from '../../src/modules/audit/app/verification.js';
import { ExportChecker, type ExportRow } from '../../src/modules/audit/domain/audit-export.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { openCheckpoint, signCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PostgresAuditLog } from '../../src/modules/audit/infra/postgres-audit-log.js';
import { PostgresAuditLogReader } from '../../src/modules/audit/infra/postgres-audit-log-reader.js';
import { openPool } from '../../src/platform/database/connection.js';
import { exportAuditLog } from '../support/audit-exporting.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const GATEWAY = 'gateway.test';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const nonces = new NoncePool();

let database: TestDatabase;
let admin: pg.Client;
let pool: pg.Pool;
let log: PostgresAuditLog;
let publishing: PublishCheckpoints;
let verifying: VerifyAuditLog;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt -c timezone=UTC' });
  await admin.connect();
  pool = openPool({ url: database.appUrl, size: 20, waitMs: 5000, name: 'audit-log', onError: () => undefined });
  log = new PostgresAuditLog(pool);
  publishing = new PublishCheckpoints(log, (c) => signCheckpoint(c, privateKey, publicKey), {
    gatewayId: GATEWAY,
    heartbeatMs: 60_000,
  });
  const open = (note: string, origin: string): ReturnType<typeof openCheckpoint> =>
    openCheckpoint(note, origin, [publicKey]);
  verifying = new VerifyAuditLog(new PostgresAuditLogReader(pool), open, GATEWAY);
});

afterAll(async () => {
  await pool.end();
  await admin.end();
  await database.drop();
});

function record(organizationId: string, changes: Partial<AuditRecord> = {}): AuditRecord {
  return {
    eventId: newRequestId(),
    occurredAt: Date.now(),
    organizationId,
    traceId: newTraceId(),
    surface: 'mcp',
    operation: 'dealeragent.inventory.search',
    profile: 'dealeragent.inventory.read/0.1',
    actorKind: 'agent',
    actor: 'agent.one',
    client: null,
    rooftopIds: ['roof.a'],
    resourceIds: [],
    decision: 'allow',
    reason: null,
    policyVersion: 'built-in.1',
    outcome: 'succeeded',
    failureCode: null,
    purpose: 'display',
    ...changes,
  };
}

const append = (client: pg.Pool | pg.PoolClient, organizationId: string, count: number): Promise<unknown> =>
  client.query('SELECT append_audit($1, $2)', [
    organizationId,
    Array.from({ length: count }, () => auditLine(record(organizationId), nonces.next())).join('\n'),
  ]);

/** A log of its own with `count` records, numbered and signed in a few steps. */
async function makeLog(organizationId: string, count: number): Promise<void> {
  for (const part of [Math.floor(count / 3), Math.floor(count / 3), count - 2 * Math.floor(count / 3)]) {
    await append(pool, organizationId, part);
    await publishing.run();
  }
}

const verify = (organizationId: string): Promise<Verification> => verifying.run(organizationId);

/** As whoever has every right and switches every guard off. */
async function tamper(...statements: readonly string[]): Promise<void> {
  const tables = ['audit_events', 'audit_entries', 'audit_tiles', 'audit_checkpoints'];
  await admin.query('BEGIN');
  for (const table of tables) await admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  for (const statement of statements) {
    const { rowCount } = await admin.query(statement);
    expect(rowCount, statement).not.toBe(0);
  }
  for (const table of tables) {
    await admin.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${table}_are_final`);
    await admin.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${table}_are_kept`);
  }
  await admin.query('ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_go_by_pruning');
  await admin.query('COMMIT');
}

describe('records of two versions in one log', () => {
  const ORGANIZATION = 'org.two-versions';
  const hash = 'b'.repeat(64);

  /** A line as the version before wrote it: the same without its last two elements. */
  const formerLine = (): string => {
    const line = auditLine(record(ORGANIZATION), nonces.next());
    return line.replace('["a2"', '["a1"').replace(/,null,null\]$/, ']');
  };

  beforeAll(async () => {
    for (let i = 0; i < 30; i++) {
      const change = record(ORGANIZATION, { beforeHash: i % 2 === 0 ? null : hash, afterHash: hash });
      const lines = [formerLine(), auditLine(record(ORGANIZATION), nonces.next()), auditLine(change, nonces.next())];
      await pool.query('SELECT append_audit($1, $2)', [ORGANIZATION, lines.join('\n')]);
      if (i % 10 === 0) await publishing.run();
    }
    await publishing.run();
  });

  it('are both verified', async () => {
    const { rows } = await admin.query<{ version: string; hashes: number }>(
      `SELECT convert_from(canon, 'UTF8')::jsonb ->> 0 AS version, count(after_hash)::integer AS hashes FROM audit_events
       WHERE organization_id = $1 GROUP BY 1 ORDER BY 1`,
      [ORGANIZATION],
    );
    expect(rows).toEqual([
      { version: 'a1', hashes: 0 },
      { version: 'a2', hashes: 30 },
    ]);
    expect(await verify(ORGANIZATION)).toMatchObject({ result: 'intact', rows: 90, uncovered: 0 });
  });

  it('are both exported so that an outsider can check them', async () => {
    const exporting = exportAuditLog(pool, GATEWAY);
    const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
    let text = '';
    for await (const lines of exporting.lines(ORGANIZATION, period)) text += lines;
    const [header, ...rows] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const checker = ExportChecker.begin(header, (note, origin) => openCheckpoint(note, origin, [publicKey]));
    if (typeof checker === 'string') throw new Error(checker);
    expect(rows.map((row) => checker.take(row as ExportRow))).toEqual(Array.from({ length: 90 }, () => undefined));
    expect(checker.end()).toBeUndefined();
  });

  it('give away a hash that was changed, also one put into a record of the version before', async () => {
    const first = (version: string): string =>
      `(SELECT event_id FROM audit_events WHERE organization_id = '${ORGANIZATION}' AND convert_from(canon, 'UTF8') LIKE '["${version}"%' LIMIT 1)`;
    await tamper(
      `UPDATE audit_events SET after_hash = '${'c'.repeat(64)}' WHERE event_id = ${first('a1')}`,
      `UPDATE audit_events SET before_hash = '${'c'.repeat(64)}' WHERE event_id = ${first('a2')}`,
    );
    const { result, findings } = await verify(ORGANIZATION);
    expect({ result, kinds: [...new Set(findings.map((f) => f.kind))] }).toEqual({
      result: 'tampered',
      kinds: ['column_changed'],
    });
  });
});

describe('numbering', () => {
  it('misses nothing and numbers nothing twice while transactions end in any order or roll back', async () => {
    const organizations = ['org.seq-a', 'org.seq-b', 'org.seq-c'];
    let committed = 0;
    let done = false;
    const writer = async (seed: number): Promise<void> => {
      for (let i = 0; i < 40; i++) {
        const client = await pool.connect();
        try {
          const organizationId = organizations[(seed + i) % organizations.length]!;
          await client.query('BEGIN');
          await append(client, organizationId, 1 + (i % 3));
          await new Promise((wait) => setTimeout(wait, ((seed * 7 + i * 13) % 20) * 1.5));
          const rolledBack = (seed + i) % 17 === 0;
          await client.query(rolledBack ? 'ROLLBACK' : 'COMMIT');
          if (!rolledBack) committed += 1 + (i % 3);
        } finally {
          client.release();
        }
      }
    };
    const sequencer = async (): Promise<void> => {
      while (!done) {
        await log.sequence(50);
        await new Promise((wait) => setTimeout(wait, 3));
      }
    };
    const sequencers = [sequencer(), sequencer()];
    await Promise.all(Array.from({ length: 12 }, (_, seed) => writer(seed)));
    done = true;
    await Promise.all(sequencers);
    while ((await log.sequence(1000)) !== 0);
    const { rows } = await admin.query<{ events: number; entries: number; gaps: number; sizes: number }>(`
      SELECT (SELECT count(*)::integer FROM audit_events WHERE organization_id LIKE 'org.seq-%') AS events,
        (SELECT count(*)::integer FROM audit_entries WHERE organization_id LIKE 'org.seq-%') AS entries,
        (SELECT count(*)::integer FROM (SELECT seq - row_number() OVER (PARTITION BY organization_id ORDER BY seq) AS d
           FROM audit_entries WHERE organization_id LIKE 'org.seq-%') x WHERE d <> -1) AS gaps,
        (SELECT sum(size)::integer FROM audit_logs WHERE organization_id LIKE 'org.seq-%') AS sizes`);
    expect(rows[0]).toEqual({ events: committed, entries: committed, gaps: 0, sizes: committed });
  });

  it('waits for a transaction that began earlier, which counting by the highest id would skip', async () => {
    const organizationId = 'org.late';
    const late = await pool.connect();
    try {
      await late.query('BEGIN');
      await append(late, organizationId, 1);
      await append(pool, organizationId, 5);
      await log.sequence(1000);
      const before = await admin.query('SELECT 1 FROM audit_entries WHERE organization_id = $1', [organizationId]);
      expect(before.rowCount).toBe(0);
      await late.query('COMMIT');
    } finally {
      late.release();
    }
    await log.sequence(1000);
    const after = await admin.query('SELECT 1 FROM audit_entries WHERE organization_id = $1', [organizationId]);
    expect(after.rowCount).toBe(6);
  });

  it('numbers a transaction whole although it is larger than the limit', async () => {
    const organizationId = 'org.whole';
    await append(pool, organizationId, 120);
    await append(pool, organizationId, 3);
    expect(await log.sequence(50)).toBe(120);
    expect(await log.sequence(50)).toBe(3);
    expect(await log.sequence(50)).toBe(0);
  });

  it('goes on from the start after a restore into another cluster, without numbering anything again', async () => {
    const organizationId = 'org.restored';
    await append(pool, organizationId, 4);
    await log.sequence(1000);
    await append(pool, organizationId, 2);
    await admin.query(`UPDATE audit_horizon SET pos = '0'`);
    expect(await log.sequence(100_000)).toBe(2);
    expect(
      (await admin.query('SELECT size::integer FROM audit_logs WHERE organization_id = $1', [organizationId])).rows,
    ).toEqual([{ size: 6 }]);
  });
});

describe('checkpoints', () => {
  it('cover what was numbered, consistent with each other, with tiles beside them', async () => {
    await makeLog('org.tiles', 700);
    const { rows } = await admin.query<{ tile_level: number; n: number }>(
      `SELECT tile_level, count(*)::integer AS n FROM audit_tiles WHERE organization_id = 'org.tiles' GROUP BY 1 ORDER BY 1`,
    );
    expect(rows).toEqual([{ tile_level: 0, n: 2 }]);
    expect(await verify('org.tiles')).toEqual({
      organizationId: 'org.tiles',
      result: 'intact',
      rows: 700,
      checkpoints: 3,
      uncovered: 0,
      redacted: 0,
      findings: [],
    });
  });

  it('are signed again after the heartbeat, and not before', async () => {
    await makeLog('org.heartbeat', 3);
    const count = async (): Promise<number> =>
      (await admin.query(`SELECT 1 FROM audit_checkpoints WHERE organization_id = 'org.heartbeat'`)).rowCount ?? 0;
    const before = await count();
    await publishing.run();
    expect(await count()).toBe(before);
    const restless = new PublishCheckpoints(log, (c) => signCheckpoint(c, privateKey, publicKey), {
      gatewayId: GATEWAY,
      heartbeatMs: 0,
    });
    await restless.run();
    expect(await count()).toBe(before + 1);
  });

  it('are made by several processes in turn, whatever each of them remembers', async () => {
    const options = { gatewayId: GATEWAY, heartbeatMs: 60_000 };
    const other = new PublishCheckpoints(log, (c) => signCheckpoint(c, privateKey, publicKey), options);
    for (const process of [publishing, other, other, publishing, other, publishing, publishing]) {
      await append(pool, 'org.shared', 150);
      await process.run();
    }
    expect(await verify('org.shared')).toMatchObject({ result: 'intact', rows: 1050, checkpoints: 7, uncovered: 0 });
  });

  it('are made for all other logs when one is damaged', async () => {
    await makeLog('org.damaged', 3);
    await append(pool, 'org.damaged', 1);
    await append(pool, 'org.sound', 1);
    await log.sequence(100);
    const entry = `organization_id = 'org.damaged' AND seq = 3`;
    await tamper(
      `CREATE TEMP TABLE taken AS SELECT * FROM audit_entries WHERE ${entry}`,
      `DELETE FROM audit_entries WHERE ${entry}`,
    );
    await expect(publishing.run()).rejects.toThrow('org.damaged');
    expect(await verify('org.sound')).toMatchObject({ result: 'intact', checkpoints: 1 });
    await tamper('INSERT INTO audit_entries SELECT * FROM taken');
    await publishing.run();
    expect(await verify('org.damaged')).toMatchObject({ result: 'intact', rows: 4, uncovered: 0 });
  });

  it('are not made without a key, but records are numbered', async () => {
    await append(pool, 'org.keyless', 2);
    const keyless = new PublishCheckpoints(log, undefined, { gatewayId: GATEWAY, heartbeatMs: 0 });
    expect(await keyless.run()).toEqual({ sequenced: 2, checkpoints: 0 });
    expect(await verify('org.keyless')).toMatchObject({ result: 'intact', rows: 2, checkpoints: 0, uncovered: 2 });
  });
});

describe('tampering by somebody with every right', () => {
  let n = 0;
  let organizationId: string;
  beforeEach(async () => {
    organizationId = `org.tamper-${++n}`;
    await makeLog(organizationId, 300);
  });
  const at = (seq: number): string =>
    `(recorded_at, event_id) = (SELECT recorded_at, event_id FROM audit_entries WHERE organization_id = '${organizationId}' AND seq = ${seq})`;
  const kinds = (v: Verification): string[] => [...new Set(v.findings.map((f) => f.kind))].toSorted();

  it('shows an edited column and names its row', async () => {
    await tamper(`UPDATE audit_events SET outcome = 'failed' WHERE ${at(17)}`);
    expect((await verify(organizationId)).findings).toEqual([{ kind: 'column_changed', from: 17, to: 17 }]);
  });

  it('shows an edited erasable value', async () => {
    await tamper(`UPDATE audit_events SET actor = 'agent.two' WHERE ${at(40)}`);
    expect((await verify(organizationId)).findings).toEqual([{ kind: 'value_changed', from: 40, to: 40 }]);
  });

  it('shows edited canonical bytes', async () => {
    await tamper(
      `UPDATE audit_events SET outcome = 'failed', canon = convert_to(replace(convert_from(canon, 'UTF8'), '"succeeded"', '"failed"'), 'UTF8') WHERE ${at(5)}`,
    );
    const found = await verify(organizationId);
    expect(found.findings[0]).toEqual({ kind: 'record_changed', from: 5, to: 5 });
    expect(kinds(found)).toEqual(['record_changed', 'root_differs', 'tile_differs']);
  });

  it('shows an edit whose leaf was rewritten too, by the tile and by the signed root', async () => {
    await tamper(
      `UPDATE audit_events SET outcome = 'failed', canon = convert_to(replace(convert_from(canon, 'UTF8'), '"succeeded"', '"failed"'), 'UTF8') WHERE ${at(9)}`,
      `UPDATE audit_entries k SET leaf_hash = e.leaf FROM audit_events e WHERE k.organization_id = '${organizationId}' AND k.seq = 9 AND e.event_id = k.event_id`,
    );
    const found = await verify(organizationId);
    expect(found.findings).toContainEqual({ kind: 'tile_differs', from: 9, to: 9 });
    expect(kinds(found)).toEqual(['root_differs', 'tile_differs']);
  });

  it('shows a deleted record, a deleted entry and a cut tail', async () => {
    await tamper(`DELETE FROM audit_events WHERE ${at(30)}`);
    expect((await verify(organizationId)).findings).toEqual([{ kind: 'record_missing', from: 30, to: 30 }]);
    await tamper(`DELETE FROM audit_entries WHERE organization_id = '${organizationId}' AND seq = 100`);
    expect((await verify(organizationId)).findings).toContainEqual({ kind: 'entry_missing', from: 100, to: 100 });
    await tamper(`DELETE FROM audit_entries WHERE organization_id = '${organizationId}' AND seq >= 290`);
    expect((await verify(organizationId)).findings).toContainEqual({ kind: 'tail_missing', from: 290, to: 299 });
  });

  it('shows two records that changed places', async () => {
    await tamper(
      `UPDATE audit_entries k SET recorded_at = o.recorded_at, leaf_hash = o.leaf_hash, event_id = o.event_id || '.'
         FROM audit_entries o WHERE k.organization_id = '${organizationId}' AND o.organization_id = k.organization_id AND k.seq = 7 AND o.seq = 8`,
    );
    const found = await verify(organizationId);
    expect(found.findings[0]).toEqual({ kind: 'record_missing', from: 7, to: 7 });
  });

  it('shows a record that was slipped in behind the horizon', async () => {
    await append(admin as unknown as pg.PoolClient, organizationId, 1);
    await tamper(
      `UPDATE audit_events SET xid = '3' WHERE organization_id = '${organizationId}' AND xid >= (SELECT pos FROM audit_horizon)`,
    );
    await publishing.run();
    expect((await verify(organizationId)).findings).toEqual([{ kind: 'record_unnumbered', from: 300, to: 300 }]);
  });

  it('shows a checkpoint that another key signed', async () => {
    const other = generateKeyPairSync('ed25519');
    const note = signCheckpoint(
      { origin: `${GATEWAY}/audit/${organizationId}`, size: 300, root: Buffer.alloc(32) },
      other.privateKey,
      other.publicKey,
    );
    await tamper(
      `UPDATE audit_checkpoints SET note = '${note}' WHERE organization_id = '${organizationId}' AND size = 300`,
    );
    expect(kinds(await verify(organizationId))).toEqual(['checkpoint_unsigned']);
  });

  it('is refused before it begins while the guards are on, in replica mode too', async () => {
    const refused = [
      `UPDATE audit_events SET outcome = 'failed' WHERE organization_id = '${organizationId}'`,
      `DELETE FROM audit_entries WHERE organization_id = '${organizationId}'`,
      `DELETE FROM audit_checkpoints`,
      `TRUNCATE audit_tiles`,
      `TRUNCATE audit_events`,
    ];
    for (const mode of ['origin', 'replica'])
      for (const statement of refused) {
        await admin.query(`SET session_replication_role = ${mode}`);
        await expect(admin.query(statement), `${mode}: ${statement}`).rejects.toMatchObject({ code: '23001' });
      }
    await admin.query('SET session_replication_role = origin');
    await admin.query('SELECT ensure_audit_partitions(9)');
    const guards = await admin.query<{ enabled: string }>(
      `SELECT DISTINCT t.tgenabled AS enabled FROM pg_inherits i JOIN pg_trigger t ON t.tgrelid = i.inhrelid
       WHERE i.inhparent = 'audit_events'::regclass AND t.tgname = 'audit_events_are_final'`,
    );
    expect(guards.rows, 'also of months that are made ahead').toEqual([{ enabled: 'A' }]);
    const partition = (
      await admin.query<{ name: string }>(`SELECT tableoid::regclass::text AS name FROM audit_events LIMIT 1`)
    ).rows[0]!.name;
    await expect(admin.query(`DELETE FROM ${partition}`)).rejects.toMatchObject({ code: '23001' });
    for (const statement of [
      `DELETE FROM audit_tiles`,
      `UPDATE audit_logs SET size = 1`,
      `INSERT INTO audit_entries VALUES ('a', 1, now(), 'e', '\\x00')`,
    ])
      await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});
