import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditCheck } from '../../src/command/audit-check.js';
import { EXIT } from '../../src/command/exit-codes.js';
import type { Output } from '../../src/command/output.js';
import type { ExportCheck } from '../../src/modules/audit/app/check-export-file.js';
import type { ExportHeldRow } from '../../src/modules/audit/domain/audit-export.js';
import { exportAuditLog } from '../support/audit-exporting.js';
import { GATEWAY } from '../support/audit-log-world.js';
import { ExportWorld } from '../support/export-world.js';
import { putHold } from '../support/legal-holds.js';
import { cutoffsUntil, PruningWorld } from '../support/pruning-world.js';

const ORGANIZATION = 'org.held-exports';
const HELD = [3, 300, 301, 760];
const RARE = 300; // the one held record of another tool

let world: PruningWorld;
let exporting: ExportWorld;
let folder: string;
let began: string;
const ids = new Map<number, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'held-'));
  world = await PruningWorld.open();
  exporting = await ExportWorld.open(world.log);
  await writeFile(join(folder, 'key.pem'), world.log.keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const { admin, log, pool, publishing } = world.log;
  await world.addOrganization(ORGANIZATION);
  began = new Date(await world.now()).toISOString();
  await world.log.append(pool, ORGANIZATION, RARE);
  await log.sequence(100_000);
  await world.log.append(pool, ORGANIZATION, 1, { operation: 'dealeragent.dealer.get' });
  await log.sequence(100_000);
  await world.log.append(pool, ORGANIZATION, 1000 - RARE - 1);
  await publishing.run();
  const { rows } = await admin.query<{ seq: string; event_id: string }>(
    'SELECT seq, event_id FROM audit_entries WHERE seq = ANY ($1)',
    [HELD],
  );
  for (const { seq, event_id } of rows) ids.set(Number(seq), event_id);
  await putHold(admin, ORGANIZATION, 'hold.one', { categories: ['audit_event'], record_ids: [...ids.values()] });
  const cutoffs = cutoffsUntil(await world.now());
  await world.addRun(ORGANIZATION, 'run.one', cutoffs);
  await world.carryOut(ORGANIZATION, 'run.one');
  await publishing.run();
});
afterAll(async () => {
  await exporting.close();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** `audit check` of a file with these lines, as an outsider calls it. */
async function check(text: string): Promise<ExportCheck & { code: number; said: string }> {
  const file = join(folder, 'export.ndjson');
  await writeFile(file, text);
  let answer: { said: string; check: ExportCheck } | undefined;
  const output = {
    result: (said: string, value: ExportCheck) => {
      answer = { said, check: value };
    },
  } as unknown as Output;
  const code = await auditCheck(file, { key: [join(folder, 'key.pem')] }, output);
  return { ...answer!.check, code, said: answer!.said };
}

interface Line extends ExportHeldRow {
  readonly held?: number;
  readonly format?: string;
}
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const textOf = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const heldOf = (lines: readonly Line[]): Line[] => lines.filter((line) => Array.isArray(line.path));

describe('an export of a log that was pruned around held records', () => {
  let text: string;

  it('has them with what proves them, and the standalone check says so with the file alone', async () => {
    const exportId = await exporting.made(ORGANIZATION, 'ndjson');
    text = await exporting.text(ORGANIZATION, exportId);
    const lines = linesOf(text);
    expect(lines[0]).toMatchObject({ format: 'forecourt-audit-export/2', from: 768, held: 4 });
    expect(heldOf(lines).map(({ seq }) => seq)).toEqual(HELD);
    for (const { seq, canon } of heldOf(lines)) expect(canon).toContain(ids.get(seq)!);
    const checked = await check(text);
    expect(checked).toMatchObject({ code: EXIT.done, result: 'intact', held: 4, rows: lines.length - 5 });
    expect(checked.said).toContain('4 held records of a pruned part');
    expect(checked.prunings).toHaveLength(1);
    const { manifest, records, firstSeq } = await exporting.find(ORGANIZATION, exportId);
    expect(JSON.parse(manifest!)).toMatchObject({ held_records: 4, records, first_seq: 3 });
    expect({ records, firstSeq }).toEqual({ records: lines.length - 1, firstSeq: 3 });
  });

  it('does not hold with a held record changed, moved, doubled, left out, or with another path', async () => {
    const lines = linesOf(text);
    const at = 1 + HELD.indexOf(301);
    const held = lines[at]!;
    const spoilt: Readonly<Record<string, readonly object[]>> = {
      held_differs: lines.with(at, { ...held, canon: held.canon.replace('succeeded', 'falsified') }),
      row_out_of_place: lines.toSpliced(at, 0, held),
      held_missing: lines.toSpliced(at, 1),
      value_changed: lines.with(at, { ...held, actor: 'agent.two' }),
      format_unknown: lines.with(0, { ...lines[0]!, format: 'forecourt-audit-export/1' }),
    };
    for (const [problem, changed] of Object.entries(spoilt))
      expect(await check(textOf(changed)), problem).toMatchObject({ code: EXIT.findings, result: 'tampered', problem });
    for (const changed of [
      lines.with(at, { ...held, seq: 302 }),
      lines.with(at, { ...held, path: held.path.toReversed() }),
      lines.with(at, { ...held, path: held.path.slice(1) }),
    ])
      expect(await check(textOf(changed))).toMatchObject({ result: 'tampered', problem: 'held_differs' });
    const last = [...lines.toSpliced(at, 1), held];
    expect(await check(textOf(last))).toMatchObject({ result: 'tampered', problem: 'row_out_of_place' });
  });

  it('has those that its filter wants, in every format', async () => {
    const filter = { operation: 'dealeragent.dealer.get' };
    const lines = linesOf(await exporting.text(ORGANIZATION, await exporting.made(ORGANIZATION, 'ndjson', filter)));
    expect(heldOf(lines).map(({ seq }) => seq)).toEqual([RARE]);
    expect(await check(textOf(lines))).toMatchObject({ result: 'intact', rows: 0, held: 1 });
    const csv = await exporting.text(ORGANIZATION, await exporting.made(ORGANIZATION, 'csv', filter));
    expect(csv.split('\r\n').slice(1, -1)).toEqual([expect.stringContaining(ids.get(RARE)!)]);
    const ocsf = await exporting.text(ORGANIZATION, await exporting.made(ORGANIZATION, 'ocsf', filter));
    expect(linesOf(ocsf)).toEqual([expect.objectContaining({ metadata: expect.objectContaining({ sequence: RARE }) })]);
  });

  it('of a period of which nothing else is left is there, too', async () => {
    const { rows } = await world.log.admin.query<{ at: Date }>('SELECT max(recorded_at) AS at FROM hold_vault');
    await world.log.admin.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
    const period = { from: began, to: new Date(rows[0]!.at.getTime() + 1).toISOString() };
    // Rows of the same instants are in the log still: they are made later, by whoever may.
    await world.log.admin.query('BEGIN');
    await world.log.admin.query(
      `UPDATE audit_entries SET recorded_at = recorded_at + interval '1 day' WHERE recorded_at < $1`,
      [period.to],
    );
    await world.log.admin.query('COMMIT');
    const exportId = await exporting.made(ORGANIZATION, 'ndjson', period);
    const lines = linesOf(await exporting.text(ORGANIZATION, exportId));
    expect(lines[0]).toMatchObject({ from: 768, to: 768, held: 4 });
    expect(await check(textOf(lines))).toMatchObject({ code: EXIT.done, result: 'intact', rows: 0, held: 4 });
    let written = '';
    for await (const chunk of exportAuditLog(world.log.pool, GATEWAY).lines(ORGANIZATION, period)) written += chunk;
    expect(linesOf(written)).toMatchObject(lines.map(({ seq }, i) => (i === 0 ? {} : { seq })));
    expect(await check(written)).toMatchObject({ code: EXIT.done, held: 4 });
  });
});
