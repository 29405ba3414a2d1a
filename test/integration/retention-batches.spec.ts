import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prismaOf } from '../../src/platform/database/prisma-unit-of-work.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ORGANIZATION, RetentionWorld, THIRTY_DAYS } from '../support/retention-world.js';

let database: TestDatabase;
let world: RetentionWorld;
const ALL = { beyondBrake: 'test' };

beforeAll(async () => {
  database = await createTestDatabase();
  world = await RetentionWorld.open(database);
  await world.admin.query(`
    CREATE TABLE notes (organization_id text NOT NULL, id text PRIMARY KEY, lead text NOT NULL, FOREIGN KEY (organization_id, lead) REFERENCES leads);
    CREATE TABLE calls (organization_id text NOT NULL, id text PRIMARY KEY, lead text NOT NULL, at timestamptz NOT NULL DEFAULT now(),
      FOREIGN KEY (organization_id, lead) REFERENCES leads ON DELETE CASCADE);
    ALTER TABLE notes OWNER TO forecourt_owner; ALTER TABLE calls OWNER TO forecourt_owner;
    SELECT isolate_tenant_table('calls'), isolate_tenant_table('notes'), govern_table('calls', 'consent', 'r.id', '''{}''::text[]', '''{}''::text[]', '{"created":"r.at"}')`);
});
afterAll(async () => {
  await world.close();
  await database.drop();
});
beforeEach(async () => {
  await world.admin.query('DELETE FROM notes');
  await world.reset();
  await world.admin.query('DELETE FROM calls');
});

describe('a preview', () => {
  it('writes nothing, and what it calls could not delete', async () => {
    await world.leads('old.', 30, 40);
    const run = await world.previewed(ALL);
    const { cutoffs } = run.previewed!;
    await world.parts.reads.readOnly(ORGANIZATION, async (tx) => {
      const writes = () =>
        prismaOf(tx).$queryRawUnsafe<{ rows: number; xid: string | null }[]>(
          `SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::integer AS rows, pg_current_xact_id_if_assigned()::text AS xid FROM pg_stat_xact_user_tables`,
        );
      const [before] = await writes(); // what the connection did before may not be counted up yet
      const places = { jurisdictions: new Map<string, string>(), home: '*' };
      const { preview } = await world.measuring.run(tx, run.runId, cutoffs, places);
      expect(preview).toMatchObject({ going: 30 });
      expect(await writes()).toEqual([{ rows: before!.rows, xid: null }]);
    });
    const disposal = { runId: run.runId, cutoffs: cutoffs[0]! };
    const deleting = world.parts.reads.readOnly(ORGANIZATION, (tx) =>
      world.disposer.batch(tx, disposal, { lease: 0, most: 10 }),
    );
    await expect(deleting).rejects.toThrow(/read-only|READ COMMITTED/);
    const outside = world.unitOfWork.withTenant(ORGANIZATION, (tx) => world.disposer.preview(tx, disposal, () => 0));
    await expect(outside).rejects.toThrow(/read only/);
    expect(await world.left()).toHaveLength(30);
  });

  it('is what the run does, for any records, holds and rooftops', async () => {
    const lead = fc.record({
      days: fc.integer({ min: 20, max: 40 }),
      rooftop: fc.constantFrom('roof.a', 'roof.b', null),
      used: fc.boolean(),
    });
    const hold = fc.constantFrom(
      { rooftop_ids: ['roof.a'] },
      { from_time: new Date(Date.now() - 36 * 86_400_000) },
      { record_ids: ['lead.0', 'lead.3'] },
      { categories: ['consent'] },
    );
    const runs = Number(process.env.RETENTION_STATES ?? 8);
    await fc.assert(
      fc.asyncProperty(fc.array(lead, { maxLength: 12 }), fc.array(hold, { maxLength: 2 }), async (leads, holds) => {
        await world.reset();
        for (const [i, { days, rooftop, used }] of leads.entries())
          await world.lead(`lead.${i}`, days + 0.5, { rooftop, used });
        for (const [i, columns] of holds.entries()) await world.hold(`hold.${i}`, columns);
        const held = (i: number): boolean =>
          holds.some(
            (h) =>
              (h.rooftop_ids !== undefined && [null, 'roof.a'].includes(leads[i]!.rooftop)) ||
              (h.from_time !== undefined && leads[i]!.days + 0.5 < 36) ||
              h.record_ids?.some((id) => id === `lead.${i}`) === true,
          );
        const going = leads.flatMap(({ days, used }, i) => (days >= 30 && !used && !held(i) ? [`lead.${i}`] : []));
        const run = await world.approved(ALL);
        expect(run.previewed!.preview).toMatchObject({
          going: going.length,
          over: leads.filter((l) => l.days >= 30).length,
        });
        expect(await world.work(run.runId)).toBe('done');
        expect(await world.left()).toEqual(
          leads
            .map((_, i) => `lead.${i}`)
            .filter((id) => !going.includes(id))
            .toSorted(),
        );
        expect(await world.record(run.runId)).toMatchObject({ root: run.previewed!.preview.root, taken: going.length });
      }),
      { numRuns: runs },
    );
  });
});

describe('every governed table', () => {
  it('can be previewed and disposed of by each of its clocks, with the rights that the functions have', async () => {
    const { rows } = await world.admin.query<{ part: string; category: string; clock: string }>(
      `SELECT table_name AS part, category, jsonb_object_keys(clocks) AS clock FROM governed_tables ORDER BY 1, 3`,
    );
    expect(rows.length).toBeGreaterThan(40);
    const shared = new Map(rows.map(({ category }) => [category, { category, clock: 'created' }]));
    const runId = await world.underWay([...shared.values()]);
    for (const { part, category, clock } of rows) {
      const limit = { floorBefore: null, ceilingBefore: 0 };
      const roof = { rooftopId: 'roof.a', floorBefore: 5, ceilingBefore: 7 };
      const cutoffs = JSON.stringify({
        category,
        clock,
        action: 'delete',
        standard: limit,
        unknown: limit,
        rooftops: [roof],
      });
      await world.parts.reads.readOnly(ORGANIZATION, (tx) =>
        prismaOf(tx).$queryRawUnsafe(
          `SELECT FROM preview_slice($1, $2::text::name, $3::jsonb, NULL, 10)`,
          runId,
          part,
          cutoffs,
        ),
      );
    }
    for (const category of shared.keys()) {
      if (category === 'audit_event') continue; // has a disposer of its own
      const batch = () =>
        world.unitOfWork.withTenant(ORGANIZATION, (tx) =>
          prismaOf(tx).$queryRawUnsafe<{ finished: boolean; kind: string }[]>(
            `SELECT kind, finished FROM dispose_batch($1, 1, $2, 10)`,
            runId,
            category,
          ),
        );
      for (let [last] = await batch(); last?.finished !== true; [last] = await batch())
        expect(last?.kind, category).toBe('done');
    }
  });
});

describe('a batch', () => {
  it('does not wait for the disk, and what comes after it in its session does', async () => {
    await world.leads('old.', 3, 40);
    const runId = await world.underWay();
    const waits = () =>
      world.unitOfWork.withTenant(ORGANIZATION, (tx) =>
        prismaOf(tx).$queryRawUnsafe(`SELECT current_setting('synchronous_commit') AS waits`),
      );
    await world.unitOfWork.withTenant(ORGANIZATION, async (tx) => {
      await prismaOf(tx).$queryRawUnsafe(`SELECT kind FROM dispose_batch($1, 1, 'lead', 10)`, runId);
      expect(await prismaOf(tx).$queryRawUnsafe(`SELECT current_setting('synchronous_commit') AS waits`)).toEqual([
        { waits: 'off' },
      ]);
    });
    expect(await waits()).toEqual([{ waits: 'on' }]);
    expect(await world.left()).toEqual([]);
  });

  it('passes over what something else still refers to, and takes the rest', async () => {
    await world.leads('old.', 40, 40);
    await world.admin.query(`INSERT INTO notes VALUES ($1, 'note', 'old.000017')`, [ORGANIZATION]);
    const run = await world.approved(ALL);
    expect(await world.work(run.runId)).toBe('done');
    expect(await world.left()).toEqual(['old.000017']);
    expect(await world.run(run.runId)).toMatchObject({ progress: { taken: 39, failed: 1 } });
  });

  it('passes over what takes a held record of another table with it, and names the hold', async () => {
    await world.leads('old.', 40, 40);
    await world.admin.query(`INSERT INTO calls VALUES ($1, 'call', 'old.000021')`, [ORGANIZATION]);
    await world.hold('hold.call', { record_ids: ['call'] });
    const run = await world.approved(ALL);
    expect(await world.work(run.runId)).toBe('done');
    expect(await world.left()).toEqual(['old.000021']);
    expect(await world.record(run.runId)).toMatchObject({ taken: 39, held: 1, holds: { 'hold.call': 1 } });
  });

  it('waits while a hold is counted, and a hold that was released after the approval still binds', async () => {
    await world.leads('old.', 3, 40);
    await world.hold('hold.released', { record_ids: ['old.000001'] });
    const run = await world.approved(ALL);
    await world.hold('hold.counting', { covered: null, root: null, counted_at: null, record_ids: ['none'] });
    expect(await world.work(run.runId)).toBe('waiting');
    expect(await world.left()).toHaveLength(3);
    await world.admin.query(`
      UPDATE legal_holds SET covered = 0, root = sha256(''), counted_at = now() WHERE hold_id = 'hold.counting';
      UPDATE legal_holds SET released_at = clock_timestamp(), free_from = clock_timestamp(), released_by = 'p', release_reason = 'over' WHERE hold_id = 'hold.released'`);
    expect(await world.work(run.runId)).toBe('done');
    expect(await world.left()).toEqual(['old.000001']);
    const next = await world.approved(ALL);
    expect(await world.work(next.runId)).toBe('done');
    expect(await world.left()).toEqual([]);
  });

  it('is not taken any more once the run is cancelled, and what went before is recorded', async () => {
    await world.leads('old.', 300, 40);
    const run = await world.approved(ALL);
    const stopping = new AbortController();
    const halfway = world.disposer.batch.bind(world.disposer);
    world.disposer.batch = async (...step) => {
      const outcome = await halfway(...step);
      stopping.abort();
      return outcome;
    };
    expect(await world.work(run.runId, stopping.signal)).toBe('stopped');
    world.disposer.batch = halfway;
    const left = await world.left();
    expect(left).toHaveLength(50);
    await world.cancelling.run(ORGANIZATION, run.runId, world.origin());
    expect(await world.work(run.runId)).toBe('not_claimed');
    expect(await world.record(run.runId)).toMatchObject({ outcome: 'cancelled', taken: 250, requery: null });
    expect(await world.left()).toEqual(left);
  });

  it('of a worker that lost its lease deletes nothing', async () => {
    await world.leads('old.', 10, 40);
    const run = await world.approved(ALL);
    const first = (await world.store.claim(ORGANIZATION, run.runId, 0))!;
    await world.unitOfWork.withTenant(ORGANIZATION, (tx) => world.store.begin(tx, first));
    const second = (await world.store.claim(ORGANIZATION, run.runId, 0))!;
    const disposal = { runId: run.runId, cutoffs: run.previewed!.cutoffs[0]! };
    const batch = ({ lease }: { readonly lease: number }) =>
      world.unitOfWork.withTenant(ORGANIZATION, (tx) => world.disposer.batch(tx, disposal, { lease, most: 4 }));
    await expect(batch(first)).rejects.toMatchObject({ part: 'lease' });
    expect(await batch(second)).toMatchObject({ kind: 'done', slice: { first: 'old.000000', last: 'old.000003' } });
    await expect(batch({ lease: 1.5 })).rejects.toThrow();
    expect(await world.left()).toHaveLength(6);
    await world.cancelling.run(ORGANIZATION, run.runId, world.origin());
    await expect(batch(second)).rejects.toMatchObject({ part: 'run' });
  });
});

describe('the brake', () => {
  it('stops a run that would take more than its share of a table, before anything is gone', async () => {
    await world.leads('old.', 1300, 40);
    await world.leads('young.', 700, 3);
    const run = await world.approved();
    expect(await world.work(run.runId)).toBe('halted');
    expect(await world.run(run.runId)).toMatchObject({
      halt: { kind: 'share', part: 'leads', measured: 1300, allowed: 1000 },
    });
    expect(await world.left()).toHaveLength(2000);
  });

  it('stops for clocks that are apart or went back, and starts nothing', async () => {
    await world.leads('old.', 20, 40);
    const run = await world.approved(ALL);
    const late = { now: () => Date.now() + 600_000 };
    expect(await world.carrying(late).run(ORGANIZATION, run.runId, new AbortController().signal)).toBe('halted');
    expect(await world.run(run.runId)).toMatchObject({ halt: { kind: 'clock', part: 'apart_ms' } });
    const back = await world.approved(ALL);
    await world.admin.query(`ALTER TABLE retention_runs DISABLE TRIGGER USER`);
    await world.admin.query(
      `UPDATE retention_runs SET last_batch_at = now() + interval '6 minutes' WHERE run_id = $1`,
      [back.runId],
    );
    await world.reset().then(() => world.leads('old.', 20, 40));
    expect(await world.work(back.runId)).toBe('halted');
    expect(await world.left()).toHaveLength(20);
  });

  it('is for rules that only a table without that clock could not follow: such a run is halted, too', async () => {
    await world.leads('old.', 2, 40);
    await world.policy(2, [{ ...THIRTY_DAYS, clock: 'closed' }]);
    const run = await world.previewed(ALL);
    expect(run).toMatchObject({ state: 'halted', halt: { kind: 'failure' } });
    expect(world.errors.splice(0)).toHaveLength(1);
    await world.policy(3, [THIRTY_DAYS]);
  });
});
