import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ORGANIZATION, RetentionWorld, TENANT, THIRTY_DAYS } from '../support/retention-world.js';

let database: TestDatabase;
let world: RetentionWorld;
let version = 1;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await RetentionWorld.open(database);
});
afterAll(async () => {
  await world.close();
  await database.drop();
});
beforeEach(async () => {
  await world.reset();
  await world.leads('old.', 60, 40);
});

const start = (runId: string): Promise<string> =>
  world.starting.run(ORGANIZATION, runId, world.origin()).then(
    ({ state }) => state,
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
/** Past the triggers that keep a run from being changed. */
const tamper = (set: string, runId: string): Promise<unknown> =>
  world.admin
    .query(`ALTER TABLE retention_runs DISABLE TRIGGER USER; UPDATE retention_runs SET ${set} WHERE run_id = '${runId}';
    ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_steps; ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_progress`);
const denied = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'approved',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );

describe('two people', () => {
  it('approve, or nothing is begun: not one, not the requester, not one twice, not for something else', async () => {
    const { a, b, c } = world.persons;
    const run = await world.previewed();
    const { previewHash } = run.previewed!;
    expect(await start(run.runId)).toBe('approval.pending');
    const approvalId = await world.asked(run.runId);
    expect(await denied(world.approve(approvalId, a, previewHash))).toBe('caller.role_forbidden');
    expect(await denied(world.approve(approvalId, b, 'f'.repeat(64)))).toBe('input.precondition');
    for (const person of [b, b]) await world.approve(approvalId, person, previewHash);
    expect(await start(run.runId)).toBe('approval.pending');
    // Another run with the same records: its approval is not this one's.
    const other = await world.previewed();
    const otherApproval = await world.asked(other.runId);
    expect(otherApproval).not.toBe(approvalId);
    expect(await denied(world.approve(otherApproval, c, previewHash))).toBe('input.precondition');
    expect(await start(run.runId)).toBe('approval.pending');
    await world.approve(approvalId, c, previewHash);
    expect(await start(run.runId)).toBe('approved');
    expect(await start(run.runId)).toBe('input.precondition');
    expect(await world.work(run.runId)).toBe('done');
    expect(await start(run.runId)).toBe('input.precondition');
    expect(await world.work(other.runId)).toBe('not_claimed');
  });

  it('are counted by what they are at the start, not when they approved', async () => {
    const { b, c } = world.persons;
    const run = await world.previewed();
    const approvalId = await world.asked(run.runId);
    for (const person of [b, c]) await world.approve(approvalId, person, run.previewed!.previewHash);
    await world.admin.query('UPDATE staff_persons SET disabled_at = now() WHERE person_id = $1', [c]);
    expect(await start(run.runId)).toBe('approval.pending');
    await world.admin.query('UPDATE staff_persons SET disabled_at = NULL WHERE person_id = $1', [c]);
    expect(await start(run.runId)).toBe('approved');
  });

  it('cannot be gone around with the rights of the application', async () => {
    const run = await world.previewed();
    const { runId, previewed } = run;
    const client = await world.pool.connect();
    const refused = async (statement: string, values: unknown[] = []): Promise<string> => {
      await client.query('BEGIN');
      await client.query(TENANT);
      const code = await client.query(statement, values).then(
        () => 'done',
        (error: unknown) => (error as { code: string }).code,
      );
      await client.query('ROLLBACK');
      return code;
    };
    const approving = `UPDATE retention_runs SET state = 'approved', approval_id = $2, approvers = $3, approved_at = now() WHERE run_id = $1`;
    const approvalId = await world.asked(runId);
    const pairs = [
      ['x', 'y'],
      [world.persons.b, world.persons.c],
      [world.persons.a, world.persons.b],
      [world.persons.b],
    ];
    for (const approvers of pairs)
      expect(await refused(approving, [runId, approvalId, approvers])).toMatch(/42501|23514/);
    const others = [
      `UPDATE retention_runs SET state = 'running' WHERE run_id = $1`,
      `UPDATE retention_runs SET preview_hash = repeat('a', 64) WHERE run_id = $1`,
      `UPDATE retention_runs SET position = '{}' WHERE run_id = $1`,
      `DELETE FROM retention_runs WHERE run_id = $1`,
      `INSERT INTO retention_batches (organization_id, run_id, number, category, part, taken, held, failed, rooftops, holds, digest)
       VALUES (current_tenant(), $1, 1, 'lead', 'leads', 1, 0, 0, '{}', '{}', sha256(''))`,
      `SELECT FROM dispose_batch($1, 0, 'lead', 10)`,
      `SELECT FROM preview_slice($1, 'leads', '{}', NULL, 10)`,
      `SELECT FROM begin_retention_batch($1, 0, 10)`,
      `DELETE FROM leads WHERE id <> $1`,
    ];
    for (const statement of others) expect(await refused(statement, [runId]), statement).toMatch(/42501|23001/);
    client.release();
    expect(previewed?.preview.going).toBe(60);
    expect(await world.left()).toHaveLength(60);
  });
});

describe('an approval is void', () => {
  const mutated: readonly (readonly [what: string, kind: string, mutate: (runId: string) => Promise<unknown>])[] = [
    ['when another version of the policy is in force', 'policy', () => world.policy(++version, [THIRTY_DAYS])],
    ['when a record went meanwhile', 'live_set', () => world.admin.query(`DELETE FROM leads WHERE id = 'old.000001'`)],
    ['when a record came that is over', 'live_set', () => world.lead('late', 45)],
    [
      'when one came for one that went, so that the counts are the same',
      'live_set',
      () => world.admin.query(`UPDATE leads SET id = 'changed' WHERE id = 'old.000001'`),
    ],
    ['when the preview is older than a day', 'preview_expired', (id) => tamper('preview_expires_at = as_of', id)],
  ];
  it.each(mutated)('%s', async (_what, kind, mutate) => {
    const run = await world.approved();
    await mutate(run.runId);
    const before = await world.left();
    expect(await world.work(run.runId)).toBe('halted');
    expect(await world.run(run.runId)).toMatchObject({ state: 'halted', halt: { kind } });
    expect(await world.left()).toEqual(before);
    expect(await world.record(run.runId)).toBeUndefined();
    expect(await start(run.runId)).toBe('input.precondition');
    expect(await world.work(run.runId)).toBe('not_claimed');
  });

  it('before it is given, too: a stale preview or an older policy is not even asked about', async () => {
    const stale = await world.previewed();
    await tamper('preview_expires_at = as_of', stale.runId);
    expect(await start(stale.runId)).toBe('input.precondition');
    const outdated = await world.previewed();
    await world.policy(++version, [THIRTY_DAYS]);
    expect(await start(outdated.runId)).toBe('input.precondition');
  });

  it('only then: nothing changed, and less than one in a hundred, runs', async () => {
    await world.leads('more.', 400, 41);
    const run = await world.approved();
    await world.admin.query(`DELETE FROM leads WHERE id IN ('old.000001', 'more.000001')`);
    expect(await world.work(run.runId)).toBe('done');
    expect(await world.run(run.runId)).toMatchObject({ progress: { taken: 458 } });
  });
});
