import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRequestId } from '../../src/kernel/ids.js';
import { CompactRange } from '../../src/modules/audit/domain/log/compact-range.js';
import { subtreeRootsFrom } from '../../src/modules/audit/domain/log/tiles.js';
import { pruningHash } from '../../src/modules/audit/domain/pruning.js';
import { PostgresAuditLogReader } from '../../src/modules/audit/infra/postgres-audit-log-reader.js';
import { buildVerifier } from '../../tools/build-verifier.mjs';
import { exportAuditLog } from '../support/audit-exporting.js';
import { AuditLogWorld, GATEWAY, insideOf } from '../support/audit-log-world.js';

const ORGANIZATION = 'org.pruned';
const MIN_INDEX = 512;
const POLICY = 'audit.seven-years@3';
const RUN = 'run_01';
const EVER = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };

let world: AuditLogWorld;
let kept: readonly string[];

beforeAll(async () => {
  world = await AuditLogWorld.open();
  kept = await world.grow(ORGANIZATION, 900, 150);
});
afterAll(() => world.close());

/** As the retention run will do it: the record, the pruning, and what is gone, in one transaction. */
async function prune(): Promise<void> {
  const { admin, pool } = world;
  const reader = new PostgresAuditLogReader(pool);
  const at = subtreeRootsFrom((level, start, count) => reader.hashes(ORGANIZATION, level, start, count));
  const root = Buffer.from((await CompactRange.of(MIN_INDEX, at)).root());
  const pruning = { minIndex: MIN_INDEX, size: 900, root, policy: POLICY, runId: RUN };
  const eventId = newRequestId();
  const record = {
    eventId,
    actorKind: 'system',
    actor: 'retention',
    operation: 'log.pruned',
    resourceIds: [`rows before ${MIN_INDEX}`, `run ${RUN}`, `policy ${POLICY}`],
    afterHash: pruningHash(ORGANIZATION, pruning),
  } as const;
  await admin.query(`BEGIN; SELECT set_config('app.tenant', '${ORGANIZATION}', true)`);
  for (const table of ['audit_events', 'audit_entries']) await admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await world.append(admin, ORGANIZATION, 1, record);
  await admin.query('SELECT record_log_pruning($1, $2, $3, $4, $5, $6)', [eventId, MIN_INDEX, 900, root, POLICY, RUN]);
  await admin.query(
    `DELETE FROM audit_events WHERE (recorded_at, event_id) IN (SELECT recorded_at, event_id FROM audit_entries WHERE organization_id = $1 AND seq < $2)`,
    [ORGANIZATION, MIN_INDEX],
  );
  await admin.query('DELETE FROM audit_entries WHERE organization_id = $1 AND seq < $2', [ORGANIZATION, MIN_INDEX]);
  for (const table of ['audit_events', 'audit_entries'])
    for (const trigger of ['final', 'kept'])
      await admin.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${table}_are_${trigger}`);
  await admin.query('COMMIT');
}

describe('a part of the log', () => {
  it('is verified by rows, by period and as one record, against the newest checkpoint and kept ones', async () => {
    const rows = await world.verify(ORGANIZATION, { scope: { kind: 'rows', from: 300, to: 310 }, kept });
    expect(rows).toMatchObject({ result: 'intact', rows: 256, uncovered: 0 });
    expect(rows.checkpoints).toBeGreaterThan(1);
    expect(await world.verify(ORGANIZATION, { scope: { kind: 'period', ...EVER } })).toMatchObject({
      result: 'intact',
      rows: 900,
    });
    const { rows: found } = await world.admin.query<{ event_id: string }>(
      'SELECT event_id FROM audit_entries WHERE organization_id = $1 AND seq = 899',
      [ORGANIZATION],
    );
    const scope = { kind: 'record', eventId: found[0]!.event_id } as const;
    expect(await world.verify(ORGANIZATION, { scope })).toMatchObject({ result: 'intact', rows: 132 });
    for (const nothing of [
      { kind: 'rows', from: 899, to: 901 },
      { kind: 'period', from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' },
      { kind: 'record', eventId: 'req_none' },
    ] as const)
      await expect(world.verify(ORGANIZATION, { scope: nothing })).rejects.toMatchObject({
        code: 'resource.not_found',
      });
  });

  it('is seen to be tampered with, in the part itself, in the tiles before and in the log behind', async () => {
    const { admin } = world;
    const scope = { kind: 'rows', from: 300, to: 310 } as const;
    const entry = (seq: number): string => `organization_id = '${ORGANIZATION}' AND seq = ${seq}`;
    const cases = [
      `UPDATE audit_events SET outcome = 'failed' WHERE event_id = (SELECT event_id FROM audit_entries WHERE ${entry(305)})`,
      `UPDATE audit_entries SET leaf_hash = sha256('x') WHERE ${entry(305)}`,
      `UPDATE audit_tiles SET hashes = overlay(hashes placing sha256('x') from 1 for 32) WHERE organization_id = '${ORGANIZATION}' AND tile_index = 0`,
      `DELETE FROM audit_tiles WHERE organization_id = '${ORGANIZATION}' AND tile_index = 0`,
      `UPDATE audit_entries SET leaf_hash = sha256('x') WHERE ${entry(880)}`,
    ];
    for (const statement of cases) {
      await admin.query('BEGIN');
      for (const table of ['audit_events', 'audit_entries', 'audit_tiles'])
        await admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
      expect((await admin.query(statement)).rowCount).toBe(1);
      await admin.query('SET LOCAL ROLE forecourt_app');
      expect(await world.verify(ORGANIZATION, { scope }, insideOf(admin)), statement).toMatchObject({
        result: 'tampered',
      });
      await admin.query('ROLLBACK');
    }
  });

  it('without records is leaves, tiles and roots', async () => {
    const { admin } = world;
    expect(await world.verify(ORGANIZATION, { scope: { kind: 'tiles' }, kept })).toMatchObject({
      result: 'intact',
      rows: 900,
      checkpoints: 12,
    });
    await admin.query('BEGIN; ALTER TABLE audit_entries DISABLE TRIGGER USER');
    await admin.query(`UPDATE audit_entries SET leaf_hash = sha256('x') WHERE organization_id = $1 AND seq = 77`, [
      ORGANIZATION,
    ]);
    await admin.query('SET LOCAL ROLE forecourt_app');
    const { findings } = await world.verify(ORGANIZATION, { scope: { kind: 'tiles' } }, insideOf(admin));
    await admin.query('ROLLBACK');
    expect(findings).toContainEqual({ kind: 'tile_differs', from: 77, to: 77 });
  });
});

describe('a pruned log', () => {
  beforeAll(async () => {
    await prune();
    await world.publishing.run();
    await world.append(world.pool, ORGANIZATION, 200);
    await world.publishing.run();
  });

  it('is told from an intact one and from a tampered one, with every kept checkpoint', async () => {
    const pruned = { minIndex: MIN_INDEX, policy: POLICY, runId: RUN };
    for (const scope of ['whole', 'tiles'] as const)
      expect(await world.verify(ORGANIZATION, { kept, scope: { kind: scope } }), scope).toMatchObject({
        result: 'pruned',
        rows: 1101 - MIN_INDEX,
        uncovered: 0,
        pruned,
        findings: [],
      });
    const scope = { kind: 'rows', from: 700, to: 720 } as const;
    expect(await world.verify(ORGANIZATION, { scope })).toMatchObject({ result: 'pruned', pruned });
  });

  it('is seen when the pruning is changed, in 100 of 100 cases', async () => {
    const { admin } = world;
    const changes = (n: number): string =>
      [
        `min_index = ${[256, 768, 1024, 256_000][n % 4]!}, size = 300000`,
        `root = sha256('${n}')`,
        `policy = 'audit.other@${n}'`,
        `run_id = 'run_${n + 2}'`,
        `event_id = (SELECT event_id FROM audit_entries WHERE organization_id = '${ORGANIZATION}' AND seq = ${600 + n})`,
      ][n % 5]!;
    let seen = 0;
    for (let n = 0; n < 100; n++) {
      await admin.query('BEGIN; ALTER TABLE audit_prunings DISABLE TRIGGER USER');
      const changed = await admin.query(`UPDATE audit_prunings SET ${changes(n)} WHERE organization_id = $1`, [
        ORGANIZATION,
      ]);
      expect(changed.rowCount).toBe(1);
      await admin.query('SET LOCAL ROLE forecourt_app');
      if ((await world.verify(ORGANIZATION, {}, insideOf(admin))).result === 'tampered') seen++;
      await admin.query('ROLLBACK');
    }
    expect(seen).toBe(100);
  });

  it('is tampered with where nobody recorded a pruning', async () => {
    const { admin } = world;
    await admin.query('BEGIN; ALTER TABLE audit_prunings DISABLE TRIGGER USER; DELETE FROM audit_prunings');
    await admin.query('SET LOCAL ROLE forecourt_app');
    const { result, findings } = await world.verify(ORGANIZATION, {}, insideOf(admin));
    await admin.query('ROLLBACK');
    expect(result).toBe('tampered');
    expect(findings).toContainEqual({ kind: 'entry_missing', from: 0, to: MIN_INDEX - 1 });
  });

  it('notes no pruning without its record, and the application none at all', async () => {
    const { admin, pool } = world;
    const call = `SELECT record_log_pruning('req_x', 768, 900, '\\x${'00'.repeat(32)}', '${POLICY}', 'run_2')`;
    await expect(pool.query(call)).rejects.toMatchObject({ code: '42501' });
    await admin.query(`BEGIN; SELECT set_config('app.tenant', '${ORGANIZATION}', true)`);
    await expect(admin.query(call)).rejects.toMatchObject({ code: '23001' });
    await admin.query('ROLLBACK');
  });

  it('is exported, and checked in an empty folder with one file and Node.js alone', async () => {
    const exporting = exportAuditLog(world.pool, GATEWAY);
    const folder = await mkdtemp(join(tmpdir(), 'forecourt-verifier-'));
    try {
      const verifier = await buildVerifier(folder);
      let text = '';
      for await (const lines of exporting.lines(ORGANIZATION, EVER)) text += lines;
      await writeFile(join(folder, 'export.ndjson'), text);
      await writeFile(join(folder, 'bad.ndjson'), text.replace('succeeded', 'falsified'));
      await writeFile(join(folder, 'key.pem'), world.keys.publicKey.export({ type: 'spki', format: 'pem' }));
      const check = (file: string): Promise<{ stdout: string }> =>
        promisify(execFile)(process.execPath, [verifier, file, '--key', 'key.pem'], { cwd: folder, env: {} });
      expect((await check('export.ndjson')).stdout).toBe(
        `intact: ${1101 - MIN_INDEX} rows\n  the log was pruned: rows before ${MIN_INDEX}, run ${RUN}, policy ${POLICY}\n`,
      );
      await expect(check('bad.ndjson')).rejects.toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^tampered: root_differs/) as string,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
