import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ORGANIZATION, RetentionWorld } from '../support/retention-world.js';

let database: TestDatabase;
let world: RetentionWorld;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await RetentionWorld.open(database);
});
afterAll(async () => {
  await world.close();
  await database.drop();
});
beforeEach(() => world.reset());

describe('a retention run', () => {
  it('is previewed, approved by two, and deletes what no hold keeps, the hold that came last included', async () => {
    await world.leads('old.', 1200, 40);
    await world.lead('young', 3);
    await world.lead('used', 50, { used: true });
    const run = await world.previewed({ categories: ['lead'], beyondBrake: 'the first run empties the table' });
    expect(run).toMatchObject({ state: 'previewed', previewed: { preview: { over: 1201, going: 1200, held: 0 } } });
    expect(await world.left()).toHaveLength(1202);
    const approvalId = await world.asked(run.runId);
    for (const person of [world.persons.b, world.persons.d])
      await world.approve(approvalId, person, run.previewed!.previewHash);
    await world.hold('hold.late', { record_ids: ['old.000007'] });
    const started = await world.starting.run(ORGANIZATION, run.runId, world.origin());
    expect(started).toMatchObject({ state: 'approved', approval: { approvers: [world.persons.b, world.persons.d] } });
    expect(await world.work(run.runId)).toBe('done');
    expect(await world.left()).toEqual(['old.000007', 'used', 'young']);
    const ended = await world.run(run.runId);
    expect(ended).toMatchObject({ state: 'done', progress: { taken: 1199, held: 1, failed: 1 } });

    const record = await world.record(run.runId);
    expect(record).toMatchObject({
      kind: 'run',
      outcome: 'done',
      taken: 1199,
      held: 1,
      failed: 1,
      holds: { 'hold.late': 1 },
      policy: { policy_id: 'records', version: 1, rule_ids: ['lead.thirty-days'] },
      approval: { approvers: [world.persons.b, world.persons.d], preview_hash: run.previewed!.previewHash },
      run: { requested_by: { kind: 'person', id: world.persons.a } },
      requery: { going: 0, held: 1, in_use: 1 },
      residual_copies: { expire_by: expect.any(String) as string },
      methods: ['row delete'],
    });
    const { rows } = await world.admin.query<{ after_hash: string; content: string }>(
      `SELECT e.after_hash, d.content FROM deletion_records d JOIN audit_events e USING (event_id) WHERE source_id = $1`,
      [run.runId],
    );
    expect(rows[0]!.after_hash).toBe(hash('sha256', rows[0]!.content));
    const evidence = await world.admin.query(
      `SELECT sum(taken)::integer AS taken, count(*)::integer AS batches, max(taken) AS most FROM retention_batches WHERE run_id = $1`,
      [run.runId],
    );
    expect(evidence.rows[0]).toMatchObject({ taken: 1199, batches: ended.progress.batches });
    expect((evidence.rows[0] as { most: number }).most).toBeLessThanOrEqual(1000);
  });
});
