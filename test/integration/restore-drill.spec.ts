import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRequestId } from '../../src/kernel/ids.js';
import type { ErasureReplay, JournalEntry } from '../../src/kernel/ports/restore-journal.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { prismaOf } from '../../src/platform/database/prisma-unit-of-work.js';
import { auditReplay } from '../../src/modules/restore-journal/app/replay-audit.js';
import { refusalOf } from '../../src/modules/restore-journal/app/restore-refusal.js';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { type JournalPlace, journalPlace, openRestoreWorld, type RestoreWorld } from '../support/restore-world.js';

const GROUP = 'group-a';
const KEYS = 40;
let place: JournalPlace;
let database: TestDatabase;

const PLACE = `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, categories, placed_by) VALUES ($1, $2, 'm', 'r', '{lead}', 'p')
  RETURNING to_char(placed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "placedAt"`;
const RELEASED = {
  releasedBy: 'q',
  releaseReason: 'over',
  releasedAt: '2026-11-29T10:00:00.000Z',
  freeFrom: '2026-12-02T10:00:00.000Z',
};
// What must be the same in the database that went on and in the one that was restored.
const STATE = `SELECT hold_id AS id, placed_at::text AS at, released_at::text AS ended, free_from::text AS rest FROM legal_holds
  UNION ALL SELECT key_id, NULL, revoked_at::text, NULL FROM api_keys
  UNION ALL SELECT person_id, NULL, disabled_at::text, NULL FROM staff_persons ORDER BY 1`;
const state = async ({ admin }: RestoreWorld): Promise<unknown[]> =>
  (await admin.query<Record<string, unknown>>(STATE)).rows;

async function placeHold({ unitOfWork, journal }: RestoreWorld, holdId: string): Promise<void> {
  await unitOfWork.withTenant(GROUP, async (tx) => {
    const [row] = await prismaOf(tx).$queryRawUnsafe<{ placedAt: string }[]>(PLACE, GROUP, holdId);
    const scope = { rooftopIds: null, categories: ['lead'], subjects: null, recordIds: null, from: null, until: null };
    const content = { matter: 'm', reason: 'r', ...scope, placedBy: 'p', placedAt: row?.placedAt ?? '' };
    await journal.append({ kind: 'hold.placed', organizationId: GROUP, holdId, content }, tx);
  });
}

async function releaseHold({ unitOfWork, journal }: RestoreWorld, holdId: string, fails = false): Promise<void> {
  const releasing = unitOfWork.withTenant(GROUP, async (tx) => {
    await prismaOf(tx).$queryRaw`SELECT replay_release(${holdId}, ${JSON.stringify(RELEASED)}::jsonb)`;
    await journal.append({ kind: 'hold.released', organizationId: GROUP, holdId, content: RELEASED }, tx);
    if (fails) throw new Error('rolled back');
  });
  await (fails ? expect(releasing).rejects.toThrow('rolled back') : releasing);
}

async function revokeAgain(
  { unitOfWork, revocations }: RestoreWorld,
  what: 'key' | 'person',
  id: string,
): Promise<void> {
  const revokedAt = '2026-11-29T11:00:00.000Z';
  await unitOfWork.withTenant(GROUP, async (tx) => {
    await prismaOf(tx).$queryRaw`SELECT replay_revocation(${what}, ${id}, ${revokedAt}::timestamptz)`;
    await revocations.note(tx, { what, id, revokedAt });
  });
}

const erasure = (requestId: string): JournalEntry => ({
  kind: 'erasure',
  organizationId: GROUP,
  requestId,
  content: { subjectHashes: ['00'], ground: 'request', erasedAt: '2026-11-29T12:00:00.000Z' },
});

/** Yesterday: a group with keys, a person and two holds. Then the backup. */
async function yesterday(): Promise<TestDatabase> {
  const before = await openRestoreWorld(database, place);
  const { admin } = before;
  await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ($1, 'A')`, [GROUP]);
  await admin.query(
    `INSERT INTO api_keys (key_id, organization_id, name, role, secret_hash) SELECT 'key-' || n, $1, 'n', 'app', sha256('') FROM generate_series(1, ${KEYS}) n`,
    [GROUP],
  );
  await admin.query(
    `INSERT INTO staff_persons (organization_id, person_id, name, role, created_at, updated_at) VALUES ($1, 'staff.one', 'n', 'admin', now(), now())`,
    [GROUP],
  );
  await placeHold(before, 'hold.old');
  await placeHold(before, 'hold.kept');
  await before.close();
  return copyTestDatabase(database);
}

beforeEach(async () => {
  place = await journalPlace();
  database = await createTestDatabase();
});

afterEach(async () => {
  await database.drop();
  await place.remove();
});

/** The day after the backup, on the database that is lost at its end. @returns its last state */
async function day(): Promise<unknown[]> {
  const world = await openRestoreWorld(database, place);
  await placeHold(world, 'hold.new');
  await releaseHold(world, 'hold.old');
  await releaseHold(world, 'hold.kept', true);
  for (let n = 1; n < KEYS; n++) await revokeAgain(world, 'key', `key-${n}`);
  await revokeAgain(world, 'person', 'staff.one');
  await world.unitOfWork.withTenant(GROUP, (tx) => world.journal.append(erasure('erasure.one'), tx));
  await world.journal.confirmReleases();
  const last = await state(world);
  await world.close();
  return last;
}

describe('yesterday’s backup', () => {
  it('does not open before it was replayed, and then has the holds, releases, erasures and revocations of the day', async () => {
    const backup = await yesterday();
    const last = await day();
    const erased: string[] = [];
    let failing = true;
    const erasures: ErasureReplay = {
      eraseAgain: async (tx, requestId) => {
        const uncounted = await prismaOf(tx).$queryRaw<unknown[]>`SELECT FROM legal_holds WHERE covered IS NULL`;
        if (failing) throw new Error('interrupted');
        expect(uncounted).toEqual([]);
        erased.push(requestId);
        return 'replayed';
      },
    };
    const restored = await openRestoreWorld(backup, place, { erasures });
    try {
      expect(refusalOf(await restored.check.run())?.message).toContain('forecourt restore replay');

      const untouched = await state(restored);
      const rehearsal = await restored.replay.run({ dryRun: true });
      expect(await state(restored)).toEqual(untouched);
      expect(rehearsal.outcomes).toMatchObject({ 'hold.placed': { replayed: 1 }, revocation: { replayed: KEYS } });
      expect(refusalOf(await restored.check.run())).toBeDefined();

      await expect(restored.replay.run({ dryRun: false })).rejects.toThrow('interrupted');
      expect(refusalOf(await restored.check.run())).toBeDefined();
      failing = false;
      const report = await restored.replay.run({ dryRun: false });
      expect(report).toMatchObject({ entries: KEYS + 6, unconfirmedReleases: 1, torn: [], damage: [] });
      expect(erased).toEqual(['erasure.one']);

      expect(refusalOf(await restored.check.run())).toBeUndefined();
      expect(await state(restored)).toEqual(last);
      const again = await restored.replay.run({ dryRun: false });
      expect(Object.values(again.outcomes).map(({ replayed }) => replayed)).toEqual([0, 0, 0, 0]);

      const { rows } = await restored.admin.query<{ tenant: string; records: number }>(
        `SELECT organization_id AS tenant, count(*)::int AS records FROM audit_events WHERE operation = 'restore.replay' GROUP BY 1 ORDER BY 1`,
      );
      expect(rows).toEqual([
        { tenant: 'forecourt.platform', records: 2 },
        { tenant: GROUP, records: KEYS + 3 }, // each once, although it was begun twice
      ]);
      const { rows: transactions } = await restored.admin.query<{ count: number }>(
        `SELECT count(DISTINCT xid)::int AS count FROM audit_events WHERE operation = 'restore.replay' AND organization_id = $1`,
        [GROUP],
      );
      expect(transactions, 'many entries in one, the erasure alone').toEqual([{ count: 2 }]);
      const revoked = await restored.admin.query(`SELECT FROM revocations WHERE kind = 'key'`);
      expect(revoked.rowCount).toBe(KEYS - 1);
    } finally {
      await restored.close();
      await backup.drop();
    }
  });
});

describe('the audit trail of a database that came out of another cluster', () => {
  const nonces = new NoncePool();
  const STRANGE = 400;
  const record = ({ pool }: RestoreWorld): Promise<unknown> => {
    const one = { ...auditReplay(undefined, Date.now(), 'test'), eventId: newRequestId(), organizationId: GROUP };
    return pool.query('SELECT append_audit($1, $2)', [GROUP, auditLine(one, nonces.next())]);
  };
  const sequence = ({ pool }: RestoreWorld): Promise<unknown> => pool.query('SELECT sequence_audit(100)');
  const unnumbered = async ({ admin }: RestoreWorld): Promise<number | null> =>
    (
      await admin.query(
        'SELECT FROM audit_events e WHERE NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id)',
      )
    ).rowCount;

  /** As a dump would bring it: ids of transactions that this cluster has not reached; of three records the last has no number. */
  async function bringIn(world: RestoreWorld): Promise<void> {
    for (const numbered of [true, true, false]) {
      await record(world);
      if (numbered) await sequence(world);
    }
    await world.admin.query(`SET session_replication_role = replica; ALTER TABLE audit_events DISABLE TRIGGER USER`);
    await world.admin.query(`UPDATE audit_events SET xid = (xid::text::bigint + ${STRANGE})::text::xid8`);
    await world.admin.query(`UPDATE audit_horizon SET pos = (pos::text::bigint + ${STRANGE})::text::xid8`);
    await world.admin.query(
      `ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_are_final; RESET session_replication_role`,
    );
  }

  async function passThem({ admin }: RestoreWorld): Promise<void> {
    await admin.query(
      `DO $$ BEGIN FOR i IN 1..${STRANGE + 50} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
    );
  }

  it('is numbered on: nothing is left out, and nothing twice when the cluster reaches the old numbers', async () => {
    const world = await openRestoreWorld(database, place);
    try {
      await bringIn(world);
      expect((await world.check.run()).foreignHorizon).toBe(true);
      expect(refusalOf(await world.check.run())?.message).toContain('another cluster');
      await record(world);
      expect((await world.replay.run({ dryRun: false })).renumbered).toBe(2); // the strange one, and the new one
      expect(refusalOf(await world.check.run())).toBeUndefined();
      for (let i = 0; i < 4; i++) await record(world).then(() => sequence(world));
      const lag = await world.admin.query<{ seconds: number | null }>('SELECT audit_lag_seconds() AS seconds');
      expect(lag.rows).toEqual([{ seconds: null }]); // those that came with a number do not wait for one
      await passThem(world);
      for (let i = 0; i < 3; i++) await record(world).then(() => sequence(world));
      await sequence(world);
      expect(await unnumbered(world)).toBe(0);
      const { rows } = await world.admin.query<{ size: number; entries: number; last: number }>(
        `SELECT l.size::int, count(*)::int AS entries, max(seq)::int AS last FROM audit_logs l JOIN audit_entries USING (organization_id)
         WHERE organization_id = $1 GROUP BY 1`,
        [GROUP],
      );
      expect(rows).toEqual([{ size: 11, entries: 11, last: 10 }]);
    } finally {
      await world.close();
    }
  });

  it('would break when its horizon were only put back to the start: the test above can fail', async () => {
    const world = await openRestoreWorld(database, place);
    try {
      await bringIn(world);
      await world.admin.query(`UPDATE audit_horizon SET pos = '0'`);
      await sequence(world);
      expect(await unnumbered(world)).toBe(1);
      await passThem(world);
      await expect(sequence(world)).rejects.toMatchObject({ code: '23505' });
    } finally {
      await world.close();
    }
  });
});
