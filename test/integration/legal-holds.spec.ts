import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import { CountHold } from '../../src/modules/holds/app/count-hold.js';
import { ReadHolds } from '../../src/modules/holds/app/read-holds.js';
import type { LegalHold, RequestedHold } from '../../src/modules/holds/domain/legal-hold.js';
import { PostgresHoldListing } from '../../src/modules/holds/infra/postgres-hold-listing.js';
import { withTenantSql } from '../../src/platform/database/tenant-sql.js';
import { connectApp, HoldWorld, holdOn, holdOrigin, ORGANIZATION, TENANT } from '../support/hold-world.js';
import type { WorldOptions } from '../support/hold-world.js';

let world: HoldWorld;
let reading: ReadHolds;

beforeAll(async () => {
  world = await HoldWorld.open();
  const { unitOfWork, holds } = world.parts();
  reading = new ReadHolds(unitOfWork, holds);
});
afterAll(() => world.close());
beforeEach(() => world.reset(['a1', 'a2', 'b1', 'b2', 'c1']));

const place = (scope: Partial<RequestedHold> = {}, options: WorldOptions = {}): Promise<LegalHold> =>
  world.placing(options).run(ORGANIZATION, holdOn(scope), holdOrigin());

/** Deletes as the application. @returns how many went, or why none did */
const remove = (condition: string, table = 'things'): Promise<string> =>
  withTenantSql(world.pool, ORGANIZATION, 'read write', async (client) => {
    return `${(await client.query(`DELETE FROM ${table} WHERE ${condition}`)).rowCount} gone`;
  }).catch((error: unknown) => (error instanceof Failure ? error.code : String(error)));

const holdsThere = async (): Promise<number> => (await world.admin.query('SELECT FROM legal_holds')).rowCount ?? 0;

const leaf = (record: string): Buffer => createHash('sha256').update(`\0${record}`).digest();
const node = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.of(1), left, right]))
    .digest();

const rootOf = ({ count }: LegalHold): string => Buffer.from(count?.root ?? []).toString('hex');

describe('A hold', () => {
  it('answers with its time, how many records it covers, and a root that its list proves', async () => {
    const before = Date.now();
    const hold = await place({ rooftopIds: ['roof.a', 'roof.b'] });
    expect(hold.placedAt).toBeGreaterThanOrEqual(before);
    const { records, next } = await reading.records(ORGANIZATION, hold.holdId, { from: 0, pages: 1 });
    expect(next).toBeNull();
    expect(records.map(({ category, recordId }) => `${category} ${recordId}`)).toEqual(
      ['a1', 'a2', 'b1', 'b2'].map((id) => `feed_file ${id}`),
    );
    const [a1, a2, b1, b2] = ['a1', 'a2', 'b1', 'b2'].map((id) => leaf(`feed_file\n${id}`)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    expect(hold.count?.covered).toBe(4);
    expect(rootOf(hold)).toBe(node(node(a1, a2), node(b1, b2)).toString('hex'));
    expect(await reading.coverageNow(ORGANIZATION, hold.holdId)).toEqual({ coveredNow: 4, missing: 0 });
  });

  it('has the root of its list, also where that is longer than the database gives at a time', async () => {
    const odd = String.raw`E'\nÄ' || n || '" {,}\\'`;
    await world.admin.query(`INSERT INTO things (organization_id, id, rooftop)
      SELECT '${ORGANIZATION}', CASE WHEN n % 3 = 0 THEN ${odd} ELSE 'long.' || n END, 'roof.long' FROM generate_series(1, 33000) AS n`);
    const hold = await place({ rooftopIds: ['roof.long'] }, { most: 33_000, countMs: 60_000 });
    const { records, next } = await reading.records(ORGANIZATION, hold.holdId, { from: 0, pages: 40 });
    expect(next).toBeNull();
    const listed = records.map(({ category, recordId }) => `${category}\n${recordId}`);
    expect(listed).toEqual(listed.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(new Set(listed).size).toBe(33_000);
    expect(hold.count?.covered).toBe(33_000);
    const whole = (hashes: readonly Buffer[]): Buffer => {
      if (hashes.length === 1) return hashes[0] as Buffer;
      const split = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
      return node(whole(hashes.slice(0, split)), whole(hashes.slice(split)));
    };
    expect(rootOf(hold)).toBe(whole(listed.map(leaf)).toString('hex'));
    expect(
      (await place({ rooftopIds: ['roof.long'] }, { most: 32_999, countMs: 60_000 })).count,
      'one too many',
    ).toBeNull();
  });

  it('stops every deletion of what it covers, and no other', async () => {
    const { holdId } = await place({ rooftopIds: ['roof.a'] });
    const deletion = withTenantSql(world.pool, ORGANIZATION, 'read write', (client) =>
      client.query(`DELETE FROM things WHERE id = 'a1'`),
    );
    await expect(deletion).rejects.toMatchObject({
      code: 'input.held',
      context: { reason: 'held', auditReason: `held_by:${holdId}` },
    });
    expect(await remove(`id IN ('a1', 'c1')`), 'all or nothing').toBe('input.held');
    expect(await remove(`id = 'c1'`)).toBe('1 gone');
    expect(await world.ids()).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('covers records that come later, beside those of its list', async () => {
    const hold = await place({ rooftopIds: ['roof.c'] });
    await world.admin.query(
      `INSERT INTO things (organization_id, id, rooftop) VALUES ('${ORGANIZATION}', 'c2', 'roof.c')`,
    );
    expect(await remove(`id = 'c2'`)).toBe('input.held');
    expect(await reading.coverageNow(ORGANIZATION, hold.holdId)).toEqual({ coveredNow: 2, missing: 0 });
    expect(hold.count?.covered).toBe(1);
  });

  it('is found by its records, one of several', async () => {
    const one = await place({ rooftopIds: ['roof.a'] });
    const two = await place({ recordIds: ['a1'] });
    const named = async (recordId: string): Promise<string[]> =>
      (await reading.onRecord(ORGANIZATION, { category: 'feed_file', recordId })).map(({ holdId }) => holdId);
    expect(await named('a1')).toEqual([one.holdId, two.holdId].toSorted());
    expect(await named('a2')).toEqual([one.holdId]);
    expect(await named('c1')).toEqual([]);
    expect(await named('absent')).toEqual([]);
    expect((await reading.list(ORGANIZATION, { limit: 5 })).map(({ holdId }) => holdId)).toEqual([
      two.holdId,
      one.holdId,
    ]);
  });

  it('sees and says nothing of another organization', async () => {
    await world.admin.query(`INSERT INTO things (organization_id, id, rooftop) VALUES ('org.other', 'a9', 'roof.a')`);
    const hold = await place();
    expect(hold.count?.covered).toBe(5);
    await expect(reading.get('org.other', hold.holdId)).rejects.toMatchObject({ code: 'resource.not_found' });
    await world.admin.query(`DELETE FROM things WHERE organization_id = 'org.other'`);
  });

  it('is journalled and audited in its own transaction', async () => {
    const hold = await place({ from: Date.UTC(2026, 0, 1) });
    expect(world.journal.entries.at(-1)).toMatchObject({
      kind: 'hold.placed',
      holdId: hold.holdId,
      content: { matter: 'Smith v. Group', from: '2026-01-01T00:00:00Z', until: null, placedBy: 'staff.lawyer' },
    });
    const { rows } = await world.admin.query(
      `SELECT operation, actor, before_hash, after_hash IS NOT NULL AS after FROM audit_events WHERE resource_ids = ARRAY[$1]`,
      [hold.holdId],
    );
    expect(rows).toEqual([{ operation: 'holds.place', actor: 'staff.lawyer', before_hash: null, after: true }]);
  });
});

describe('A hold that covers more than its answer can count', () => {
  const counting = (pageRecords = 2): CountHold =>
    new CountHold(world.parts(), new PostgresHoldListing(world.pool, pageRecords));

  it('is in force at once and lets nothing of the organization go before it is counted', async () => {
    const hold = await place({ rooftopIds: ['roof.a', 'roof.b'] }, { most: 3 });
    expect(hold.count).toBeNull();
    expect(world.queued.at(-1)).toBe(hold.holdId);
    expect(await remove(`id = 'c1'`), 'not covered, and not yet').toBe('input.held');
    await expect(reading.records(ORGANIZATION, hold.holdId, { from: 0, pages: 1 })).rejects.toMatchObject({
      code: 'state.conflict',
    });
    expect(await new PostgresHoldListing(world.pool).uncounted(10)).toEqual([
      { organizationId: ORGANIZATION, holdId: hold.holdId },
    ]);
    expect(await counting().run(ORGANIZATION, hold.holdId, new AbortController().signal)).toBe('counted');
    const counted = await reading.get(ORGANIZATION, hold.holdId);
    const [a1, a2, b1, b2] = ['a1', 'a2', 'b1', 'b2'].map((id) => leaf(`feed_file\n${id}`)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    expect(counted.count?.covered).toBe(4);
    expect(rootOf(counted)).toBe(node(node(a1, a2), node(b1, b2)).toString('hex'));
    expect(await remove(`id = 'c1'`)).toBe('1 gone');
    expect(await remove(`id = 'a1'`)).toBe('input.held');
    expect(await counting().run(ORGANIZATION, hold.holdId, new AbortController().signal)).toBe('counted before');
  });

  it('goes on counting where a stopped worker left it', async () => {
    const hold = await place({}, { most: 1 });
    const listing = new PostgresHoldListing(world.pool, 2);
    const stopping = new AbortController();
    const add = listing['add'].bind(listing);
    listing['add'] = (...page) => add(...page).finally(() => stopping.abort());
    const stopped = await new CountHold(world.parts(), listing).run(ORGANIZATION, hold.holdId, stopping.signal);
    expect(stopped).toBe('stopped');
    const pages = 'SELECT page, listed FROM legal_hold_pages ORDER BY page';
    expect((await world.admin.query(pages)).rows).toHaveLength(1);
    expect(await counting(3).run(ORGANIZATION, hold.holdId, new AbortController().signal)).toBe('counted');
    expect((await world.admin.query(pages)).rows.map((row: { listed: string[] }) => row.listed.length)).toEqual([2, 3]);
    const { records, next } = await reading.records(ORGANIZATION, hold.holdId, { from: 1, pages: 5 });
    expect([records.map(({ recordId }) => recordId), next]).toEqual([['b1', 'b2', 'c1'], null]);
  });

  it('is counted once by two workers at the same time', async () => {
    const hold = await place({}, { most: 1 });
    const { signal } = new AbortController();
    const ends = await Promise.all([1, 2, 3].map(() => counting(1).run(ORGANIZATION, hold.holdId, signal)));
    while (!ends.includes('counted')) ends.push(await counting(1).run(ORGANIZATION, hold.holdId, signal));
    expect(ends.filter((end) => end === 'counted')).toHaveLength(1);
    expect((await reading.get(ORGANIZATION, hold.holdId)).count?.covered).toBe(5);
  });

  it('is answered in time where finding the records takes too long', async () => {
    await world.admin.query(`CREATE TABLE slow_things (organization_id text, id text, at timestamptz);
      ALTER TABLE slow_things OWNER TO forecourt_owner; SELECT isolate_tenant_table('slow_things');
      SELECT govern_table('slow_things', 'lead', 'r.id', '''{}''::text[]', '''{}''::text[]', '{"created":"(SELECT r.at FROM pg_sleep(1))"}');
      INSERT INTO slow_things SELECT '${ORGANIZATION}', i::text, now() FROM generate_series(1, 20) i`);
    const hold = await place({ categories: ['lead'] }, { countMs: 500 });
    expect(hold.count).toBeNull();
    await world.admin.query(`DELETE FROM governed_tables WHERE table_name = 'slow_things'`);
  });
});

describe('A hold that cannot be placed', () => {
  it('says so when a deletion does not end, and leaves nothing', async () => {
    const deleting = await connectApp(world.database);
    await deleting.query(`BEGIN; ${TENANT}; DELETE FROM things WHERE id = 'c1'`);
    await expect(place({}, { lockMs: 100 })).rejects.toMatchObject({
      code: 'limit.busy',
      context: { retryAfterMs: 2000 },
    });
    expect(await holdsThere()).toBe(0);
    await deleting.query('COMMIT');
    await deleting.end();
    expect((await place()).count?.covered).toBe(4);
  });

  it('fails with the journal, and leaves nothing', async () => {
    world.journal.refuse = () => Promise.reject(new Failure('upstream.unavailable', { retryAfterMs: 2000 }));
    await expect(place()).rejects.toMatchObject({ code: 'upstream.unavailable' });
    world.journal.refuse = undefined;
    expect(await holdsThere()).toBe(0);
    expect(await remove(`id = 'a1'`)).toBe('1 gone');
  });

  it('fails with the database, also when it goes away between the hold and its record', async () => {
    world.journal.refuse = async () => {
      await world.admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holds' AND state = 'idle in transaction'`,
      );
    };
    await expect(place()).rejects.toMatchObject({ code: 'upstream.unavailable' });
    world.journal.refuse = undefined;
    expect(await holdsThere()).toBe(0);
    expect((await place()).count?.covered, 'and the next one is placed').toBe(5);
  });
});

describe('A release', () => {
  const release = (holdId: string, coolingMs?: number): Promise<LegalHold> =>
    world.releasing(coolingMs === undefined ? {} : { coolingMs }).run(ORGANIZATION, holdId, 'settled', holdOrigin());

  it('lets nothing go before the cooling period is over, and after it no run that was approved before', async () => {
    const { holdId } = await place();
    const cooling = await release(holdId);
    expect(cooling.release).toMatchObject({ reason: 'settled', releasedBy: 'staff.lawyer' });
    expect((cooling.release?.freeFrom ?? 0) - (cooling.release?.releasedAt ?? 0)).toBe(72 * 3_600_000);
    expect(await remove(`id = 'a1'`)).toBe('input.held');
    await world.reset(['a1', 'a2']);
    const { release: ended } = await release((await place()).holdId, 0);
    const inRun = (approvedAt: number): Promise<string> =>
      withTenantSql(world.pool, ORGANIZATION, 'read write', async (client) => {
        await client.query(`SELECT set_config('app.retention_approved_at', $1, true)`, [
          new Date(approvedAt).toISOString(),
        ]);
        return `${(await client.query(`DELETE FROM things WHERE id = 'a1'`)).rowCount} gone`;
      }).catch((error: unknown) => (error as Failure).code);
    expect(await inRun((ended?.releasedAt ?? 0) - 1000)).toBe('input.held');
    expect(await inRun((ended?.releasedAt ?? 0) + 1000)).toBe('1 gone');
    expect(world.journal.entries.at(-1)).toMatchObject({
      kind: 'hold.released',
      content: { releaseReason: 'settled' },
    });
  });

  it('happens once, of a hold that there is and that is counted', async () => {
    const { holdId } = await place();
    await release(holdId);
    await expect(release(holdId)).rejects.toMatchObject({
      code: 'state.conflict',
      context: { auditReason: 'hold_released' },
    });
    await expect(release('hold.absent')).rejects.toMatchObject({ code: 'resource.not_found' });
    const uncounted = await place({}, { most: 1 });
    await expect(release(uncounted.holdId)).rejects.toMatchObject({ context: { auditReason: 'hold_counting' } });
    const twice = await place();
    const both = await Promise.allSettled([release(twice.holdId), release(twice.holdId)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('is not there when the journal cannot be written', async () => {
    const { holdId } = await place();
    world.journal.refuse = () => Promise.reject(new Failure('upstream.unavailable'));
    await expect(release(holdId)).rejects.toMatchObject({ code: 'upstream.unavailable' });
    world.journal.refuse = undefined;
    expect((await reading.get(ORGANIZATION, holdId)).release).toBeNull();
  });
});

describe('What the database keeps', () => {
  it('changes no list and no hold but by counting and releasing, not even for its owner', async () => {
    await place();
    const owner = new pg.Client({ connectionString: world.database.adminUrl, options: '-c search_path=forecourt' });
    await owner.connect();
    await owner.query(`ALTER TABLE legal_holds ENABLE ALWAYS TRIGGER only_counting_and_release;
      ALTER TABLE legal_hold_pages ENABLE ALWAYS TRIGGER legal_hold_pages_are_final`);
    for (const change of [
      'DELETE FROM legal_hold_pages',
      `UPDATE legal_hold_pages SET listed = '{x}'`,
      'DELETE FROM legal_holds',
      'UPDATE legal_holds SET covered = 0',
      `UPDATE legal_holds SET categories = '{lead}'`,
      `UPDATE legal_holds SET placed_at = now() + interval '1 day'`,
    ])
      await expect(owner.query(change), change).rejects.toMatchObject({
        code: expect.stringMatching(/^(23001|42501)$/),
      });
    await owner.query(`ALTER TABLE legal_holds DISABLE TRIGGER only_counting_and_release;
      ALTER TABLE legal_hold_pages DISABLE TRIGGER legal_hold_pages_are_final`);
    await owner.end();
    const app = await connectApp(world.database);
    await app.query(`BEGIN; ${TENANT}`);
    await expect(
      app.query(`UPDATE legal_holds SET covered = 1, root = sha256(''), counted_at = now()`),
    ).rejects.toMatchObject({
      code: '42501',
    });
    await app.end();
  });
});

describe('A hold among four workers that delete without a pause', () => {
  it('is not starved', async () => {
    let done = false;
    const worker = async (n: number): Promise<void> => {
      const client = await connectApp(world.database);
      for (let i = 0; !done; i++)
        await client.query(`BEGIN; ${TENANT}; INSERT INTO things (organization_id, id) VALUES ('${ORGANIZATION}', 'w${n}.${i}');
          DELETE FROM things WHERE id LIKE 'w${n}.%'; COMMIT`);
      await client.end();
    };
    const workers = [0, 1, 2, 3].map(worker);
    for (let i = 0; i < 5; i++) expect((await place({ recordIds: ['a1'] })).count?.covered).toBe(1);
    done = true;
    await Promise.all(workers);
    expect(await world.ids()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
  });
});
