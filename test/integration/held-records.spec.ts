import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PLATFORM_TENANT } from '../../src/kernel/ids.js';
import { PayloadSeal } from '../../src/modules/authorization-server/infra/payload-seal.js';
import { PostgresRecordStore } from '../../src/modules/authorization-server/infra/postgres-record-store.js';
import { PostgresIdempotencySweep } from '../../src/modules/idempotency/infra/postgres-idempotency-sweep.js';
import { withTenantSql } from '../../src/platform/database/tenant-sql.js';
import { prismaOf } from '../../src/platform/database/prisma-unit-of-work.js';
import { carLine, csvOf, range, vinOf } from '../support/feed-csv.js';
import { FeedWorld, ORGANIZATION, ROOFTOPS } from '../support/feed-world.js';
import { freeHolds, putHold } from '../support/legal-holds.js';

const OTHER = 'org.other';
let world: FeedWorld;
let hold = 0;
let feed = 0;

beforeAll(async () => {
  world = await FeedWorld.open();
  await world.createGroup(OTHER, ['roof.other']);
});
afterAll(() => world.close());
beforeEach(() => world.createFeed(`feed.${++feed}`));
afterEach(() => freeHolds(world.admin));

const place = (columns: Parameters<typeof putHold>[3], organizationId = ORGANIZATION): Promise<void> =>
  putHold(world.admin, organizationId, `hold.${++hold}`, columns);

describe('the sweep of idempotency keys', () => {
  const sweep = (): Promise<number> => new PostgresIdempotencySweep(world.pool).sweep(24, 100);
  const keep = (organizationId: string, requestId: string, age: string): Promise<unknown> =>
    world.admin.query(
      `INSERT INTO idempotency_keys (organization_id, owner, operation, key_hash, fingerprint, request_id, reply, created_at)
       VALUES ($1, 'key.a', 'feeds.create', sha256(convert_to($2::text, 'UTF8')), sha256('f'), $2::text, '{}', now() - $3::interval)`,
      [organizationId, requestId, age],
    );
  const kept = async (): Promise<string[]> =>
    (await world.query<{ id: string }>('SELECT request_id AS id FROM idempotency_keys ORDER BY 1')).map((r) => r.id);
  beforeEach(async () => {
    await keep(ORGANIZATION, 'req_1', '3 days');
    await keep(ORGANIZATION, 'req_2', '2 days');
    await keep(ORGANIZATION, 'req_3', '1 minute');
    await keep(OTHER, 'req_4', '3 days');
  });
  afterEach(async () => {
    await freeHolds(world.admin);
    await world.admin.query('DELETE FROM idempotency_keys');
  });

  it('leaves what a hold covers, and takes the rest, also of others', async () => {
    await place({ until_time: new Date(Date.now() - 60 * 3_600_000).toISOString(), subjects: ['person.x'] });
    expect(await sweep()).toBe(2);
    expect(await kept()).toEqual(['req_1', 'req_3']);
    await freeHolds(world.admin);
    expect(await sweep()).toBe(1);
  });

  it('takes nothing younger than a day, whatever it is asked and under whatever tenant', async () => {
    await world.admin.query('DELETE FROM idempotency_keys WHERE created_at < now() - interval $$1 day$$');
    const asked = await withTenantSql(world.pool, ORGANIZATION, 'read write', (client) =>
      client.query<{ swept: number }>(`SELECT sweep_idempotency_keys(interval '1 second', 100) AS swept`),
    );
    expect(asked.rows).toEqual([{ swept: 0 }]);
    expect(await kept()).toEqual(['req_3']);
  });

  it('takes nothing before the longest floor of the policy in force', async () => {
    const rule = (days: number): object => ({ category: 'idempotency_record', floor: { count: days, unit: 'days' } });
    const document = { rules: [rule(1), { category: 'lead', floor: { count: 9, unit: 'years' } }], rooftops: [] };
    const activate = (version: number, floor: object): Promise<unknown> =>
      world.admin.query(
        `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
         VALUES ($1, $2, 'retention', 'R', $3, repeat('a', 64), 'd', 'a', 'r', 'a', '{}', now())`,
        [ORGANIZATION, version, JSON.stringify({ ...document, rooftops: [floor] })],
      );
    await activate(1, rule(30));
    expect(await sweep(), 'those of others only').toBe(1);
    await activate(2, { ...rule(2), floor: { count: 2, unit: 'days', plus_days: 1 } });
    expect(await sweep()).toBe(1);
    expect(await kept()).toEqual(['req_2', 'req_3']);
    await activate(3, { ...rule(1), floor: null });
    expect(await sweep()).toBe(1);
  });

  it('passes over an organization whose hold is being counted or placed, without waiting', async () => {
    await place({ categories: ['lead'], covered: null });
    expect(await sweep()).toBe(1);
    expect(await kept()).toEqual(['req_1', 'req_2', 'req_3']);
    await world.admin.query(
      `UPDATE legal_holds SET covered = 0, root = sha256(''), counted_at = now() WHERE covered IS NULL`,
    );
    const placing = await world.admin.connect();
    await placing.query(`BEGIN; SELECT lock_out_deletions('${ORGANIZATION}')`);
    expect(await sweep()).toBe(0);
    await placing.query('ROLLBACK');
    placing.release();
    expect(await sweep()).toBe(2);
  });
});

describe('imports', () => {
  it('go on under a hold of everything: repeated attempts, failures, carried-over units, new snapshots', async () => {
    await place({});
    const feedId = `feed.${feed}`;
    const first = await world.import(feedId, csvOf(range(1, 8)));
    expect(first.outcome).toBe('published');
    // An attempt that was interrupted: its leftovers are working data.
    const { runId } = await world.receive(feedId, csvOf(range(1, 9)));
    const run = await world.stores.staging.claim(ORGANIZATION, runId);
    const lease = { organizationId: ORGANIZATION, runId, attempt: run!.attempt };
    await world.stores.staging.begin(lease, feedId, [{ rooftopId: ROOFTOPS[0], policyDigest: 'a'.repeat(64) }]);
    await world.stores.staging.giveBack(lease);
    expect(await world.work(runId)).toBe('published');
    const conflicting = csvOf([1, carLine(2, { price: '16000' }), carLine(2, { price: '17000' }), 3, 4, 5, 6, 7, 8, 9]);
    const third = await world.import(feedId, conflicting);
    expect(third.outcome).toBe('published');
    expect((await world.import(feedId, csvOf([1]))).outcome).toBe('held');
    expect((await world.import(feedId, csvOf(range(1, 9)), { force: true })).outcome).toBe('published');
    expect(await world.servedVins(ROOFTOPS[0])).toEqual(
      range(1, 9)
        .map((n) => vinOf(n))
        .toSorted(),
    );
  });

  it('leave behind what runs of retention can tell apart: rooftops of files, ends of snapshots, runs whose units live on', async () => {
    const feedId = `feed.${feed}`;
    await world.admin.query('DELETE FROM rooftop_inventory');
    const first = await world.import(feedId, csvOf(range(1, 8)));
    const next = await world.import(
      feedId,
      csvOf([1, carLine(2, { price: '16000' }), carLine(2, { price: '17000' }), 3, 4, 5, 6, 7, 8]),
    );
    const [ended] = await world.query(
      `SELECT state, superseded_at IS NOT NULL AS ended FROM snapshots WHERE run_id = '${first.runId}'`,
    );
    expect(ended).toEqual({ state: 'superseded', ended: true });
    expect(await world.query('SELECT source_run_ids FROM snapshots WHERE run_id = $1', [next.runId])).toEqual([
      { source_run_ids: [first.runId] },
    ]);
    const [file] = await world.query(
      `SELECT f.rooftop_ids, f.last_used_at >= r.finished_at AS used FROM feed_files f JOIN feed_runs r USING (organization_id, sha256) WHERE r.run_id = $1`,
      [first.runId],
    );
    expect(file).toEqual({ rooftop_ids: [ROOFTOPS[0]], used: true });
    const [disposable] = await world.query<{ sql: string }>(
      `SELECT disposable AS sql FROM governed_tables WHERE table_name = 'feed_runs'`,
    );
    await world.admin.query(
      `DELETE FROM feed_run_rows WHERE run_id = '${first.runId}'; DELETE FROM units u USING snapshots s WHERE s.snapshot_id = u.snapshot_id AND s.run_id = '${first.runId}';
       DELETE FROM snapshots WHERE run_id = '${first.runId}'`,
    );
    const inUse = `SELECT ${disposable!.sql} AS free FROM feed_runs r WHERE run_id = '${first.runId}'`;
    expect(await world.query(inUse)).toEqual([{ free: false }]);
    await world.admin.query(`UPDATE snapshots SET source_run_ids = '{}' WHERE run_id = '${next.runId}'`);
    expect(await world.query(inUse)).toEqual([{ free: true }]);
  });
});

describe('a refusal of the guard', () => {
  it('is a failure that says so, on both ways to the database', async () => {
    await world.import(`feed.${feed}`, csvOf(range(1, 8)));
    await place({ subjects: [vinOf(3)] });
    const refused = { code: 'input.held', context: { reason: 'held' } };
    const remove = `DELETE FROM units WHERE vin = '${vinOf(3)}'`;
    await expect(
      withTenantSql(world.pool, ORGANIZATION, 'read write', (client) => client.query(remove)),
    ).rejects.toMatchObject(refused);
    await expect(
      world.unitOfWork.withTenant(ORGANIZATION, (tx) => prismaOf(tx).$executeRawUnsafe(remove)),
    ).rejects.toMatchObject(refused);
    await expect(
      world.unitOfWork.withTenant(ORGANIZATION, (tx) => prismaOf(tx).unit.deleteMany({ where: { vin: vinOf(3) } })),
    ).rejects.toMatchObject(refused);
  });
});

describe('sign-ins', () => {
  it('go on and end under a hold of everything, also one of the platform', async () => {
    await place({});
    await place({}, PLATFORM_TENANT);
    const store = new PostgresRecordStore(world.pool, new PayloadSeal([randomBytes(32)]));
    await store.put('Session', 'session.a', { payload: { a: 1 }, lifetimeMs: 60_000 });
    await store.put('AccessToken', 'token.old', { payload: {}, lifetimeMs: -1000 });
    expect(await store.sweep(10)).toBe(1);
    await store.remove('Session', 'session.a');
    expect(await store.find('Session', 'session.a')).toBeUndefined();
  });
});
