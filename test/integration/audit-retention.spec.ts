import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogProofs } from '../../src/modules/audit/app/log-proofs.js';
import { checkRecordProof } from '../../src/modules/audit/app/check-record-proof.js';
import { ProveRecord } from '../../src/modules/audit/app/prove-record.js';
import { openCheckpoint, type Checkpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { includes, isConsistent } from '../../src/modules/audit/domain/log/merkle-proof.js';
import { leafOf } from '../../src/modules/audit/domain/stored-record.js';
import { PostgresAuditSearch } from '../../src/modules/audit/infra/postgres-audit-search.js';
import { GATEWAY, insideOf } from '../support/audit-log-world.js';
import { freeHolds, putHold } from '../support/legal-holds.js';
import { cutoffsUntil, PruningWorld } from '../support/pruning-world.js';

const ORGANIZATION = 'org.retained';
/** Rows that the hold covers; the last one stays in the log. */
const HELD = [3, 300, 301, 760, 990];
const VAULTED = HELD.slice(0, 4);

let world: PruningWorld;
let held: ReadonlyMap<number, string>;
let kept: readonly string[];

beforeAll(async () => {
  world = await PruningWorld.open();
  const { admin } = world.log;
  await world.addOrganization(ORGANIZATION);
  kept = await world.log.grow(ORGANIZATION, 1000, 250);
  const { rows } = await admin.query<{ seq: string; event_id: string }>(
    'SELECT seq, event_id FROM audit_entries WHERE organization_id = $1 AND seq = ANY ($2)',
    [ORGANIZATION, HELD],
  );
  held = new Map(rows.map(({ seq, event_id }) => [Number(seq), event_id]));
  await putHold(admin, ORGANIZATION, 'hold.one', { record_ids: [...held.values()] });
});
afterAll(() => world.close());

const idOf = (seq: number): string => held.get(seq)!;
const count = async (table: string): Promise<number> =>
  (await world.log.admin.query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${table}`)).rows[0]!.n;
const opened = (note: string): Checkpoint =>
  openCheckpoint(note, `${GATEWAY}/audit/${ORGANIZATION}`, [world.log.keys.publicKey])!;

describe('a retention run over the trail', () => {
  const before = { taken: 764, held: 4 };
  let policyUntil: object;

  it('is previewed as it is carried out, read only', async () => {
    policyUntil = cutoffsUntil(await world.now());
    await world.addRun(ORGANIZATION, 'run.one', policyUntil);
    const previewed = await world.previewed(ORGANIZATION, 'run.one', policyUntil);
    expect(previewed).toMatchObject(before);
    expect(await world.carryOut(ORGANIZATION, 'run.one')).toEqual(previewed);
    await world.log.publishing.run();
    const batches = await world.log.admin.query(
      `SELECT sum(taken)::integer AS taken, sum(held)::integer AS held FROM retention_batches WHERE run_id = 'run.one'`,
    );
    expect(batches.rows).toEqual([before]);
  });

  it('leaves the log from the minimum index on, and held records in the vault', async () => {
    const { rows } = await world.log.admin.query(
      `SELECT min(seq)::integer AS first, count(*)::integer AS n FROM audit_entries WHERE organization_id = $1`,
      [ORGANIZATION],
    );
    expect(rows).toEqual([{ first: 768, n: 1002 - 768 }]);
    expect(await count('audit_events')).toBe(1002 - 768);
    const vault = await world.log.admin.query<{ seq: string }>('SELECT seq FROM hold_vault ORDER BY seq');
    expect(vault.rows.map(({ seq }) => Number(seq))).toEqual(VAULTED);
  });

  it('is told by verification, with every note that was kept; held records are verified one by one', async () => {
    const pruned = { minIndex: 768, policy: 'audit.seven-years@3', runId: 'run.one' };
    const whole = await world.log.verify(ORGANIZATION, { kept });
    expect(whole).toMatchObject({ result: 'pruned', pruned, vaulted: 4, findings: [], uncovered: 0 });
    for (const seq of VAULTED) {
      const one = await world.log.verify(ORGANIZATION, { kept, scope: { kind: 'record', eventId: idOf(seq) } });
      expect(one).toMatchObject({ result: 'pruned', vaulted: 1, findings: [] });
      expect(one.checkpoints).toBeGreaterThan(1);
    }
  });

  it('keeps proofs: of vaulted records against the newest checkpoint, and between states from the minimum index on', async () => {
    const proving = new ProveRecord(world.log.log);
    for (const seq of VAULTED) {
      const proof = await proving.run(ORGANIZATION, idOf(seq));
      const path = proof.inclusionPath.map((hash) => Buffer.from(hash, 'base64'));
      const { size, root } = opened(proof.checkpoint);
      expect(proof.seq).toBe(seq);
      expect(includes(leafOf(proof.canon), seq, size, path, root)).toBe(true);
      expect(includes(leafOf(proof.canon), seq + 1, size, path, root)).toBe(false);
      const file = { seq, canon: proof.canon, inclusion_path: proof.inclusionPath, checkpoint: proof.checkpoint };
      const keys = [world.log.keys.publicKey];
      expect(checkRecordProof(file, keys)).toMatchObject({ result: 'intact', seq, eventId: idOf(seq) });
      const changed = { ...file, canon: file.canon.replace('succeeded', 'falsified') };
      expect(checkRecordProof(changed, keys)).toMatchObject({ result: 'tampered', problem: 'not_in_log' });
    }
    const proofs = new LogProofs(world.log.log);
    const notes = (await world.log.notes(ORGANIZATION)).map(opened).filter(({ size }) => size >= 768);
    expect(notes.length).toBeGreaterThanOrEqual(2);
    const newest = notes.at(-1)!;
    for (const { size, root } of notes) {
      const { consistencyPath } = await proofs.consistency(ORGANIZATION, size, newest.size);
      const path = consistencyPath.map((hash) => Buffer.from(hash, 'base64'));
      expect(isConsistent(size, newest.size, path, root, newest.root)).toBe(true);
    }
  });

  it('is no reason not to find held records: search and what an actor reached', async () => {
    const search = new PostgresAuditSearch(world.log.pool);
    const all = await search.find(ORGANIZATION, { actor: 'agent.one' }, { limit: 1000 });
    const ids = all.map(({ eventId }) => eventId);
    for (const seq of HELD) expect(ids).toContain(idOf(seq));
    expect(all.length).toBe(1000 - 764);
    const oldest = all.at(-1)!;
    expect(oldest.eventId).toBe(idOf(3));
    const from = await search.find(ORGANIZATION, { actor: 'agent.one' }, { limit: 2, after: all.at(-4)! });
    expect(from.map(({ eventId }) => eventId)).toEqual(ids.slice(-3, -1));
    expect((await search.sumUp(ORGANIZATION, { actor: 'agent.one' }, { most: 10 })).records).toBe(1000 - 764);
  });
});

describe('somebody with every right who changes the vault', () => {
  const changed = async (statement: string): Promise<string> => {
    const { admin } = world.log;
    await admin.query('BEGIN; ALTER TABLE hold_vault DISABLE TRIGGER USER');
    const { rowCount } = await admin.query(statement);
    expect(rowCount, statement).toBeGreaterThan(0);
    await admin.query('SET LOCAL ROLE forecourt_app');
    const { result } = await world.log.verify(ORGANIZATION, {}, insideOf(admin));
    await admin.query('ROLLBACK');
    return result;
  };

  it('is found, whatever is changed', async () => {
    for (const statement of [
      `UPDATE hold_vault SET outcome = 'failed' WHERE seq = 300`,
      `UPDATE hold_vault SET actor = 'agent.two' WHERE seq = 300`,
      `UPDATE hold_vault SET actor = NULL, client = NULL, nonce = NULL WHERE seq = 300`,
      `UPDATE hold_vault SET canon = convert_to(replace(convert_from(canon, 'UTF8'), '"succeeded"', '"failed"'), 'UTF8'), outcome = 'failed' WHERE seq = 301`,
      `UPDATE hold_vault SET path = overlay(path placing sha256('x') from 33 for 32) WHERE seq = 3`,
      `UPDATE hold_vault SET seq = 4 WHERE seq = 3`,
      `UPDATE hold_vault SET vault_number = vault_number + 100 WHERE seq = 3`,
      `DELETE FROM hold_vault WHERE seq = 760`,
      `DELETE FROM hold_vault`,
    ])
      expect(await changed(statement), statement).toBe('tampered');
  });
});

describe('what nobody may do', () => {
  /** SQLSTATE of the refusal; undefined where the statement ran. */
  const refusal = async (role: string, statement: string): Promise<string | undefined> => {
    const { admin } = world.log;
    await admin.query(`BEGIN; SET LOCAL ROLE ${role}; SELECT set_config('app.tenant', '${ORGANIZATION}', true)`);
    try {
      await admin.query(statement);
      return undefined;
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await admin.query('ROLLBACK');
    }
  };

  it('the application: nothing to the vault, the log and months', async () => {
    for (const statement of [
      'DELETE FROM hold_vault',
      `UPDATE hold_vault SET outcome = 'failed'`,
      'DELETE FROM audit_events',
      'DELETE FROM audit_entries',
      `SELECT delete_pruned_rows('run.one', '{}', 768, 1024)`,
      `SELECT vault_held_records('run.one', 768, 1024)`,
      `SELECT vault_audit_month('2020-01-01', '2030-01-01')`,
    ])
      expect(await refusal('forecourt_app', statement), statement).toBe('42501');
    expect(await refusal('forecourt_app', `SELECT * FROM prune_audit_batch('run.none', 1, 1000)`)).toBe('23001');
  });

  it('whoever deletes for retention: rows from the minimum index on, tiles that others are made from, and anything in a partition', async () => {
    const { rows } = await world.log.admin.query<{ name: string }>(
      'SELECT tableoid::regclass::text AS name FROM audit_events LIMIT 1',
    );
    const partition = rows[0]!.name;
    for (const [statement, code] of [
      ['DELETE FROM audit_events', '23001'],
      ['DELETE FROM audit_entries WHERE seq >= 768', '23001'],
      ['DELETE FROM audit_tiles', '23001'],
      [`UPDATE audit_entries SET seq = seq`, '42501'],
      [`DELETE FROM ${partition}`, '42501'],
      [`TRUNCATE ${partition}`, '42501'],
      [`DROP TABLE ${partition}`, '42501'],
      ['TRUNCATE audit_events', '42501'],
      ['DELETE FROM hold_vault', '23001'], // the guard of holds
    ] as const)
      expect(await refusal('forecourt_retention', statement), statement).toBe(code);
  });

  it('a superuser by a slip: deletes, truncates and drops of a month, changes of the vault, in any mode', async () => {
    const { rows } = await world.log.admin.query<{ name: string }>(
      'SELECT tableoid::regclass::text AS name FROM audit_events LIMIT 1',
    );
    const partition = rows[0]!.name;
    for (const mode of ['origin', 'replica'])
      for (const statement of [
        `DELETE FROM ${partition}`,
        `TRUNCATE ${partition}`,
        `DROP TABLE ${partition}`,
        `DROP TABLE audit_events CASCADE`,
        'DELETE FROM hold_vault',
        `UPDATE hold_vault SET outcome = 'failed'`,
        'TRUNCATE hold_vault',
      ]) {
        await world.log.admin.query(`SET session_replication_role = ${mode}`);
        expect(await refusal('none', statement), `${statement} as ${mode}`).toBe('23001');
        await world.log.admin.query('RESET session_replication_role');
      }
  });
});

describe('a hold that ended', () => {
  it('lets its vaulted records go with the next approved run, and not before', async () => {
    await freeHolds(world.log.admin);
    expect(await count('hold_vault')).toBe(4);
    await world.addRun(ORGANIZATION, 'run.two', cutoffsUntil(await world.now()));
    const { taken, held: stillHeld } = await world.carryOut(ORGANIZATION, 'run.two');
    expect({ taken, held: stillHeld }).toEqual({ taken: 4, held: 0 });
    expect(await count('hold_vault')).toBe(0);
    await world.log.publishing.run();
    expect(await world.log.verify(ORGANIZATION, { kept })).toMatchObject({ result: 'pruned', findings: [] });
  });
});
