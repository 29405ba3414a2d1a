import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/kernel/failure/failure.js';
import { BeginRun } from '../../src/modules/deletion/app/begin-run.js';
import {
  ManageStandingApprovals,
  type RequestedStanding,
} from '../../src/modules/deletion/app/manage-standing-approvals.js';
import type { RetentionRun } from '../../src/modules/deletion/app/retention-run.js';
import { SweepDaily } from '../../src/modules/deletion/app/sweep-daily.js';
import { WatchClocks } from '../../src/modules/deletion/app/watch-clocks.js';
import { PostgresStandingApprovals } from '../../src/modules/deletion/infra/postgres-standing-approvals.js';
import { ChildService } from '../support/child-service.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { connectApp } from '../support/hold-world.js';
import { ORGANIZATION, RetentionWorld, TENANT } from '../support/retention-world.js';

let database: TestDatabase;
let world: RetentionWorld;
let managing: ManageStandingApprovals;
let version = 1;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await RetentionWorld.open(database);
  managing = new ManageStandingApprovals(world.parts, new PostgresStandingApprovals(world.pool), world.approvals);
});
afterAll(async () => {
  await world.close();
  await database.drop();
});
beforeEach(() => world.reset());
afterEach(async () => {
  for (const { standing, state } of await managing.list(ORGANIZATION, { limit: 100 }))
    if (state === 'active') await managing.revoke(ORGANIZATION, standing.standingId, world.origin(world.persons.b));
});

const sweeping = (): SweepDaily =>
  new SweepDaily(
    world.parts,
    new PostgresStandingApprovals(world.pool),
    new BeginRun(world.parts, 0.5),
    () => new WatchClocks(world.unitOfWork, world.store, world.clock),
  );

/** A standing approval that two people gave. */
async function standing(requested: Partial<RequestedStanding> = {}): Promise<string> {
  const asked = { categories: ['lead'], recordCap: 100, days: 30, reason: 'routine', ...requested };
  const drafted = await managing.draft(ORGANIZATION, asked, world.origin());
  const { standingId, contentHash } = drafted.standing;
  const activate = () => managing.activate(ORGANIZATION, standingId, world.origin());
  const pending = await activate().then(
    () => undefined,
    (error: unknown) => error as Failure,
  );
  const approvalId = pending!.context.approval!.approvalId;
  for (const person of [world.persons.b, world.persons.d]) await world.approve(approvalId, person, contentHash);
  expect((await activate()).state).toBe('active');
  return standingId;
}

async function runsOf(standingId: string): Promise<readonly RetentionRun[]> {
  const all = await world.unitOfWork.withTenant(ORGANIZATION, (tx) => world.store.list(tx, { limit: 100 }));
  return all.filter(({ sweep }) => sweep?.standingId === standingId);
}

/** The run that the sweep asked for, previewed. */
async function swept(standingId: string): Promise<RetentionRun> {
  await sweeping().run();
  const [run, ...more] = await runsOf(standingId);
  expect(more).toEqual([]);
  await world.work(run!.runId);
  return world.run(run!.runId);
}

const expire = (standingId: string): Promise<unknown> =>
  world.admin.query(`ALTER TABLE retention_standing_approvals DISABLE TRIGGER only_standing_steps;
    UPDATE retention_standing_approvals SET requested_at = now() - interval '3 hours', expires_at = now() - interval '1 hour'
      WHERE standing_id = '${standingId}';
    ALTER TABLE retention_standing_approvals ENABLE ALWAYS TRIGGER only_standing_steps`);

describe('The daily sweep', () => {
  it('goes on by itself within its standing approval, leaves held records alone, and the deletion record names it', async () => {
    await world.leads('old.', 20, 40);
    await world.lead('young', 3);
    await world.hold('hold.sweep', { record_ids: ['old.000007'] });
    const standingId = await standing();
    const run = await swept(standingId);
    expect(run).toMatchObject({ state: 'previewed', previewed: { preview: { going: 19, held: 1 } } });
    expect(await world.left(), 'a preview deletes nothing').toHaveLength(21);
    await sweeping().run();
    expect(await world.run(run.runId)).toMatchObject({
      state: 'approved',
      approval: { approvers: [world.persons.b, world.persons.d] },
      sweep: { standingId, refused: null, approvedUnder: true },
    });
    expect(await world.work(run.runId)).toBe('done');
    expect(await world.left()).toEqual(['old.000007', 'young']);
    expect(await world.record(run.runId)).toMatchObject({
      taken: 19,
      approval: { standing_approval_id: standingId, approvers: [world.persons.b, world.persons.d] },
      run: { requested_by: { kind: 'system', id: 'retention' } },
    });
    await sweeping().run();
    expect(await runsOf(standingId), 'once a day').toHaveLength(1);
  });

  it('is asked for and decided once by several processes at once', async () => {
    await world.leads('old.', 5, 40);
    const standingId = await standing();
    await Promise.all([sweeping(), sweeping(), sweeping()].map((one) => one.run()));
    const [run, ...more] = await runsOf(standingId);
    expect(more).toEqual([]);
    await world.work(run!.runId);
    await Promise.all([sweeping(), sweeping(), sweeping()].map((one) => one.run()));
    await Promise.all([world.work(run!.runId), world.work(run!.runId)]);
    expect((await world.run(run!.runId)).state).toBe('done');
    const { rows } = await world.admin.query(
      `SELECT operation FROM audit_events WHERE $1 = ANY (resource_ids) AND operation LIKE 'retention.sweeps.%' ORDER BY recorded_at`,
      [run!.runId],
    );
    expect(rows).toEqual([{ operation: 'retention.sweeps.create' }, { operation: 'retention.sweeps.start' }]);
  });

  it.each([
    ['more goes than its cap', 'over_cap', () => Promise.resolve()],
    [
      'it was revoked since',
      'revoked',
      (id: string) => managing.revoke(ORGANIZATION, id, world.origin(world.persons.b)),
    ],
    ['it has expired since', 'expired', expire],
    ['another policy version is in force', 'superseded', () => world.policy(++version)],
  ])('waits for two people, as ever, when %s', async (_, reason, change) => {
    await world.leads('old.', 20, 40);
    const standingId = await standing({ recordCap: reason === 'over_cap' ? 19 : 20 });
    const { runId } = await swept(standingId);
    await change(standingId);
    await sweeping().run();
    await sweeping().run();
    expect(await world.run(runId)).toMatchObject({
      state: 'previewed',
      sweep: { refused: reason, approvedUnder: false },
    });
    expect(await world.left()).toHaveLength(20);
    if (reason !== 'over_cap') return;
    const approvalId = await world.asked(runId);
    const { previewHash } = (await world.run(runId)).previewed!;
    for (const person of [world.persons.b, world.persons.c]) await world.approve(approvalId, person, previewHash);
    await world.starting.run(ORGANIZATION, runId, world.origin());
    expect(await world.work(runId)).toBe('done');
    const record = await world.record(runId);
    expect(record!['approval']).not.toHaveProperty('standing_approval_id');
  });

  it('waits for two people when the brake would stop it', async () => {
    await world.leads('old.', 1500, 40);
    const standingId = await standing({ recordCap: 10_000 });
    const { runId } = await swept(standingId);
    await sweeping().run();
    expect(await world.run(runId)).toMatchObject({ state: 'previewed', sweep: { refused: 'brake' } });
  });

  it('asks for nothing under a policy version that nobody approved it for', async () => {
    const standingId = await standing();
    await world.policy(++version);
    await sweeping().run();
    expect(await runsOf(standingId)).toEqual([]);
    expect((await managing.get(ORGANIZATION, standingId)).state).toBe('superseded');
  });

  it.each([
    ['is revoked', (id: string) => managing.revoke(ORGANIZATION, id, world.origin(world.persons.b))],
    ['expires', expire],
  ])('stops before its first batch when its standing approval %s after it was let go', async (_, end) => {
    await world.leads('old.', 5, 40);
    const standingId = await standing();
    const { runId } = await swept(standingId);
    await sweeping().run();
    expect((await world.run(runId)).state).toBe('approved');
    await end(standingId);
    await world.work(runId);
    expect(await world.run(runId)).toMatchObject({ state: 'halted', haltedFor: 'policy', startedAt: null });
    expect(await world.left()).toHaveLength(5);
  });
});

describe('A run under way', () => {
  it('goes no further once its standing approval is revoked, and its deletion record says what it took', async () => {
    await world.leads('old.', 20, 40);
    const standingId = await standing();
    const { runId } = await swept(standingId);
    await sweeping().run();
    const stopping = new AbortController();
    stopping.abort();
    expect(await world.work(runId, stopping.signal)).toBe('stopped');
    expect((await world.run(runId)).state).toBe('running');
    const taken = 20 - (await world.left()).length;
    await managing.revoke(ORGANIZATION, standingId, world.origin(world.persons.b));
    expect(await world.work(runId)).toBe('halted');
    expect(await world.run(runId)).toMatchObject({ haltedFor: 'policy' });
    expect(20 - (await world.left()).length).toBe(taken);
    expect(await world.record(runId)).toMatchObject({ outcome: 'halted', taken });
  });
});

describe('The database', () => {
  it('itself refuses what a standing approval does not carry', async () => {
    await world.leads('old.', 20, 40);
    const standingId = await standing({ recordCap: 19 });
    const { runId } = await swept(standingId);
    const { rows } = await world.admin.query<{ approval_id: string; approvers: string[] }>(
      'SELECT approval_id, approvers FROM retention_standing_approvals WHERE standing_id = $1',
      [standingId],
    );
    const app = await connectApp(database);
    const approve = async (): Promise<string> => {
      await app.query(`BEGIN; ${TENANT}`);
      const changed = await app
        .query(
          `UPDATE retention_runs SET state = 'approved', approval_id = $2, approvers = $3, approved_at = now() WHERE run_id = $1`,
          [runId, rows[0]!.approval_id, rows[0]!.approvers],
        )
        .then(
          () => 'approved',
          (error: unknown) => String(error),
        );
      await app.query('ROLLBACK');
      return changed;
    };
    const cap = (records: number): Promise<unknown> =>
      world.admin.query(`ALTER TABLE retention_standing_approvals DISABLE TRIGGER only_standing_steps;
        UPDATE retention_standing_approvals SET record_cap = ${records} WHERE standing_id = '${standingId}';
        ALTER TABLE retention_standing_approvals ENABLE ALWAYS TRIGGER only_standing_steps`);
    expect(await approve(), 'over its cap').toMatch(/approved by two people/);
    await cap(20);
    expect(await approve(), 'within it').toBe('approved');
    await managing.revoke(ORGANIZATION, standingId, world.origin(world.persons.b));
    expect(await approve(), 'revoked').toMatch(/approved by two people/);
    await app.query(`BEGIN; ${TENANT}`);
    await expect(
      app.query('UPDATE retention_standing_approvals SET revoked_at = NULL, revoked_by = NULL WHERE standing_id = $1', [
        standingId,
      ]),
    ).rejects.toThrow(/only approved, swept under and revoked/);
    await app.query('ROLLBACK');
    await app.end();
  });
});

describe('A worker that is killed while it lets a previewed sweep go', () => {
  let compiled: CompiledService;
  beforeAll(async () => {
    compiled = await compileService();
  });
  afterAll(() => compiled.remove());

  const start = (): ChildService => {
    const path = fileURLToPath(new URL('../support/sweep-process.mjs', import.meta.url));
    return new ChildService([path, dirname(compiled.main), database.appUrl], {});
  };

  it('leaves one run, which the next one carries out once', async () => {
    await world.leads('old.', 20, 40);
    const standingId = await standing();
    const { runId } = await swept(standingId);
    // The decision waits in the middle of its transaction for a row that somebody holds.
    await world.admin.query(
      `BEGIN; SELECT FROM retention_standing_approvals WHERE standing_id = '${standingId}' FOR UPDATE`,
    );
    const waiting = async (): Promise<number> =>
      (
        await world.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'sweep-worker'`,
        )
      ).rowCount ?? 0;
    const first = start();
    await expect.poll(waiting, { timeout: 30_000 }).toBeGreaterThan(0);
    first.kill('SIGKILL');
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
    await world.admin.query('ROLLBACK');
    expect((await world.run(runId)).state).toBe('previewed');

    const second = start();
    await expect.poll(async () => (await world.run(runId)).state, { timeout: 30_000 }).toBe('done');
    second.kill('SIGKILL');
    await second.ended;
    expect(await runsOf(standingId)).toHaveLength(1);
    expect(await world.left()).toEqual([]);
    expect(await world.record(runId)).toMatchObject({ taken: 20, approval: { standing_approval_id: standingId } });
  });
});
