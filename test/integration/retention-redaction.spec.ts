import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/kernel/time.js';
import { ExplainRecord, type ExplainedRecord } from '../../src/modules/retention/app/explain-record.js';
import { SqlRetainedRecords } from '../../src/modules/retention/infra/sql-retained-records.js';
import { ExportWorld } from '../support/export-world.js';
import { DELETING, REDACTING, RedactionWorld } from '../support/redaction-world.js';
import { ORGANIZATION } from '../support/retention-world.js';

/** Places of records that a hold covers. */
const HELD = [3, 300];
const OLD = 500;

let world: RedactionWorld;
let exports: ExportWorld;
let heldIds: string[];
let runs = 0;

beforeAll(async () => {
  world = await RedactionWorld.open();
  exports = await ExportWorld.open(world.log);
  await world.grow(600, OLD);
  await world.retention.policy(2, [REDACTING]);
  heldIds = await Promise.all(HELD.map((seq) => world.idOf(seq)));
  await world.retention.hold('hold.one', { record_ids: heldIds });
});
afterAll(async () => {
  await exports.close();
  await world.close();
});

const explained = (id: string): Promise<ExplainedRecord> => {
  const { unitOfWork, parts } = world.retention;
  const [records, clock] = [new SqlRetainedRecords(), new SystemClock()];
  const explaining = new ExplainRecord({ unitOfWork, records, rules: parts.rules, erasures: undefined, clock });
  return explaining.run(ORGANIZATION, 'audit_event', id);
};

/** Approved and carried out. */
async function carriedOut(): Promise<string> {
  const { runId } = await world.retention.approved({ beyondBrake: `test ${++runs}` });
  expect(await world.retention.work(runId)).toBe('done');
  expect(world.retention.errors).toEqual([]);
  return runId;
}

describe('a run that redacts', () => {
  let runId: string;
  let exported: readonly [string, string];

  it('is previewed with its counts, and asks people in the words of what it does', async () => {
    const run = await world.retention.previewed();
    const [part] = run.previewed!.preview.parts;
    expect(part).toMatchObject({
      category: 'audit_event',
      action: 'redact',
      part: 'audit_events',
      over: OLD,
      going: OLD - 2,
      held: 2,
    });
    expect(part).toMatchObject({
      holds: { 'hold.one': 2 },
      first: await world.idOf(0),
      last: await world.idOf(OLD - 1),
    });
    expect(run.previewed!.preview.left).toEqual([]);
    const approvalId = await world.retention.asked(run.runId);
    const { rows } = await world.log.admin.query<{ summary: string }>(
      'SELECT summary FROM approvals WHERE approval_id = $1',
      [approvalId],
    );
    expect(rows[0]!.summary).toContain(`Redact ${OLD - 2} record(s) of 1 table(s)`);
    expect((await world.withValues('agent.one')).size, 'a preview takes nothing').toBe(600);
  });

  it('takes actor and client out of every record that is over and not held, batch by batch, with evidence of each', async () => {
    exported = [
      await exports.made(ORGANIZATION, 'ndjson'),
      await exports.made(ORGANIZATION, 'csv', { actor: 'agent.other' }),
    ];
    expect(await explained(await world.idOf(1))).toMatchObject({
      due: true,
      decision: { because: [{ kind: 'ceiling' }] },
    });
    runId = await carriedOut();
    const left = await world.withValues('agent.one');
    expect([...left.keys()]).toEqual([...HELD, ...Array.from({ length: 100 }, (_, i) => OLD + i)]);
    const evidence = await world.evidence(runId);
    expect(evidence).toMatchObject({ evidence: OLD - 2, ledger: OLD - 2, listed: OLD - 2, recorded: OLD - 2 });
    expect(evidence['records_of_it']).toBeGreaterThan(1);
  });

  it('is told by verification as recorded redactions, with held records and tree as they were', async () => {
    await world.log.publishing.run();
    expect(await world.log.verify(ORGANIZATION)).toMatchObject({ result: 'intact', findings: [], uncovered: 0 });
  });

  it('leaves a deletion record that says what was redacted, and that nothing is left', async () => {
    const run = await world.retention.run(runId);
    expect(await world.retention.record(runId)).toMatchObject({
      ...{ outcome: 'done', taken: OLD - 2, actions: { redact: OLD - 2 }, holds: { 'hold.one': 2 } },
      root: run.previewed!.preview.root,
      counts: [{ category: 'audit_event', action: 'redact', table: 'audit_events', taken: OLD - 2, held: 2 }],
      methods: [expect.stringMatching(/^redaction/)],
      requery: { going: 0, held: 2, in_use: 0 },
    });
  });

  it('ends exports that held what went, and no others', async () => {
    const [holding, other] = exported;
    expect(await exports.find(ORGANIZATION, holding)).toMatchObject({ state: 'superseded' });
    expect(await exports.find(ORGANIZATION, other)).toMatchObject({ state: 'ready' });
    const { rows } = await world.log.admin.query(
      `SELECT FROM audit_events WHERE operation = 'audit.exports.supersede' AND $1 = ANY (resource_ids)`,
      [holding],
    );
    expect(rows).toHaveLength(1);
  });

  it('takes nothing twice: a second run finds nothing to do, and explanations say why', async () => {
    const again = await carriedOut();
    expect((await world.retention.run(again)).previewed!.preview).toMatchObject({ over: 2, going: 0, held: 2 });
    expect(await world.evidence(again)).toMatchObject({ evidence: 0, ledger: 0, listed: OLD - 2 });
    const [redacted, held] = [await explained(await world.idOf(1)), await explained(heldIds[0]!)];
    expect(redacted.decision).toMatchObject({
      action: 'keep',
      because: [{ kind: 'nothing_left' }, { kind: 'ceiling' }],
    });
    expect(held.decision.because[0]).toMatchObject({ kind: 'hold', holdId: 'hold.one' });
  });
});

describe('a run that deletes and redacts', () => {
  it('deletes first and redacts what stays, as it was previewed, and the log still proves itself', async () => {
    // Everything is over for redaction, also the records of the redactions before.
    await world.log.publishing.run();
    await world.age(await world.size(), '2024_01');
    await world.age(OLD, '2020_01');
    await world.retention.policy(3, [DELETING, REDACTING]);
    const one = await explained(await world.idOf(550));
    expect(one).toMatchObject({ due: false, decision: { action: 'delete' }, steps: [{ action: 'redact', due: true }] });
    // The first tile goes but for one held record; the rest of what is over stays until its tile is, and is redacted already.
    const staying = [...(await world.withValues()).keys()].filter((seq) => seq >= 256).length;
    const run = await world.retention.approved({ beyondBrake: 'test' });
    const { parts, root } = run.previewed!.preview;
    expect(parts.map(({ action, part, going, held }) => [action, part, going, held])).toEqual([
      ['delete', 'audit_events', 255, 1],
      ['delete', 'hold_vault', 0, 0],
      ['redact', 'audit_events', staying - 1, 1],
    ]);
    expect(await world.retention.work(run.runId)).toBe('done');
    expect(await world.retention.record(run.runId)).toMatchObject({
      ...{ root, actions: { delete: 255, redact: staying - 1 } },
      requery: { going: 0 },
    });
    await world.log.publishing.run();
    expect(await world.log.verify(ORGANIZATION)).toMatchObject({ result: 'pruned', vaulted: 1, findings: [] });
  });
});
