import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditCheck } from '../../src/command/audit-check.js';
import { auditVerify, type WithVerifying } from '../../src/command/audit-commands.js';
import type { VerifyCommandOptions } from '../../src/command/audit-verify-options.js';
import { EXIT } from '../../src/command/exit-codes.js';
import type { Verification } from '../../src/modules/audit/app/verification.js';
import { cosign } from '../../src/modules/audit/domain/log/cosignature.js';
import { type NoteKey, parseNote, verifierKey } from '../../src/modules/audit/domain/log/signed-note.js';
import { AuditLogWorld, insideOf } from '../support/audit-log-world.js';

/** Every option of `forecourt audit verify`, called as the command calls it, without the start of a service. */

const ORGANIZATION = 'org.verified';
const keys = generateKeyPairSync('ed25519');
const witness: NoteKey = { name: 'witness.group', kind: 'cosignature', publicKey: keys.publicKey };
const stranger: NoteKey = { ...witness, publicKey: generateKeyPairSync('ed25519').publicKey };

let world: AuditLogWorld;
let folder: string;
let notes: readonly string[];
let period: { readonly from: string; readonly to: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-command-'));
  world = await AuditLogWorld.open();
  notes = await world.grow(ORGANIZATION, 300, 100);
  await world.append(world.pool, ORGANIZATION, 300);
  await world.publishing.run();
  const { rows } = await world.admin.query<{ from: Date; to: Date }>(
    'SELECT min(recorded_at) AS "from", max(recorded_at) AS "to" FROM audit_entries WHERE seq < 100',
  );
  const [{ from, to }] = rows as [{ from: Date; to: Date }];
  period = { from: from.toISOString(), to: new Date(to.getTime() + 1).toISOString() };
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

type Asked = Omit<VerifyCommandOptions, 'organization'>;
interface Answer {
  readonly code: number;
  readonly said: string;
  readonly verification: Verification;
}

/** @param inside reads in the open transaction of somebody who tampers */
async function verify(asked: Asked, inside = false): Promise<Answer> {
  const on: WithVerifying = (work) =>
    work({ run: (id, options) => world.verify(id, options, inside ? insideOf(world.admin) : world.pool) });
  let answer: Omit<Answer, 'code'> | undefined;
  const output = {
    result: (said: string, verification: unknown) => {
      answer = { said, verification: verification as Verification };
    },
    progress: () => undefined,
  };
  const code = await auditVerify({ organization: ORGANIZATION, ...asked }, output, on);
  return { code, ...answer! };
}

/** What the command does while row 150 is another one. */
async function tampered(asked: Asked): Promise<Answer> {
  await world.admin.query('BEGIN; ALTER TABLE audit_events DISABLE TRIGGER USER');
  await world.admin.query(
    `UPDATE audit_events e SET outcome = 'failed' FROM audit_entries k WHERE k.seq = 150 AND e.recorded_at = k.recorded_at AND e.event_id = k.event_id`,
  );
  await world.admin.query('SET LOCAL ROLE forecourt_app');
  try {
    return await verify(asked, true);
  } finally {
    await world.admin.query('ROLLBACK');
  }
}

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}
const eventOf = async (seq: number): Promise<string> =>
  (await world.admin.query<{ event_id: string }>('SELECT event_id FROM audit_entries WHERE seq = $1', [seq])).rows[0]!
    .event_id;
const cosigned = (note: string): string =>
  note + cosign(parseNote(note)!.text, 1_800_000_000, witness, keys.privateKey);

describe('forecourt audit verify', () => {
  it('reads all of it, and ends with 0 or, naming the row, with 1', async () => {
    const { code, said, verification } = await verify({});
    expect({ code, said }).toEqual({ code: EXIT.done, said: 'intact: 600 rows, 4 checkpoints' });
    expect(verification).toMatchObject({ result: 'intact', rows: 600 });
    const bad = await tampered({});
    expect(bad).toMatchObject({
      code: EXIT.findings,
      said: expect.stringMatching(/^tampered:.*\n {2}column_changed at row 150$/s),
    });
  });

  it.each([
    ['--rows', () => ({ rows: '120-180' }), 256],
    ['--record', async () => ({ record: await eventOf(150) }), 256],
    ['--from and --to', () => period, 256],
  ] as const)('%s reads the tiles around, and finds what is changed in them', async (_, asked, rows) => {
    const options: Asked = await asked();
    expect(await verify(options)).toMatchObject({ code: EXIT.done, verification: { result: 'intact', rows } });
    expect((await tampered(options)).code).toBe(EXIT.findings);
  });

  it('a part elsewhere does not see it', async () => {
    for (const options of [{ rows: '256-300' }, { record: await eventOf(599) }])
      expect((await tampered(options)).code, JSON.stringify(options)).toBe(EXIT.done);
  });

  it('--tiles reads no record, so a changed column is not seen, and a changed leaf is', async () => {
    expect(await verify({ tiles: true })).toMatchObject({ code: EXIT.done, verification: { rows: 600 } });
    expect((await tampered({ tiles: true })).code).toBe(EXIT.done);
    await world.admin.query('BEGIN; ALTER TABLE audit_entries DISABLE TRIGGER USER');
    await world.admin.query(
      `UPDATE audit_entries SET leaf_hash = sha256('x') WHERE seq = 7; SET LOCAL ROLE forecourt_app`,
    );
    const { code, said } = await verify({ tiles: true }, true);
    await world.admin.query('ROLLBACK');
    expect({ code, said }).toEqual({ code: EXIT.findings, said: expect.stringContaining('tile_differs') });
  });

  it('--kept holds the trail against notes, and --witness-key takes those alone that a known witness cosigned', async () => {
    const kept = [await file('plain.note', notes[1]!)];
    const signed = [await file('cosigned.note', cosigned(notes[1]!))];
    const [known, unknown] = [[verifierKey(witness)], [verifierKey(stranger)]];
    const codes = await Promise.all(
      [
        { kept },
        { kept: signed, witnessKey: known },
        { kept: signed, witnessKey: [...unknown, ...known] },
        { kept, witnessKey: known },
        { kept: signed, witnessKey: unknown },
        { kept: [await file('other.note', notes[1]!.replace(/\n\d+\n/, '\n99\n'))] },
      ].map(async (asked) => (await verify(asked)).code),
    );
    expect(codes).toEqual([EXIT.done, EXIT.done, EXIT.done, EXIT.findings, EXIT.findings, EXIT.findings]);
  });

  it.each([
    ['two parts', { rows: '0-5', tiles: true }],
    ['a period and a record', { ...{ from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }, record: 'req_x' }],
    ['half a period', { from: '2026-01-01T00:00:00Z' }],
    ['the other half', { to: '2026-01-01T00:00:00Z' }],
    ['words for an instant', { from: 'yesterday', to: 'now' }],
    ['a day that is none', { from: '2026-13-01T00:00:00Z', to: '2026-14-01T00:00:00Z' }],
    ['rows backwards', { rows: '9-3' }],
    ['no rows', { rows: 'all' }],
    ['rows that are not there', { rows: '0-600' }],
    ['a record that is not there', { record: 'req_none' }],
    ['a period without records', { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z' }],
    ['no key of a witness', { witnessKey: ['no+key+at-all'] }],
    ['the key of a log as one of a witness', { witnessKey: [verifierKey({ ...witness, kind: 'ed25519' })] }],
    ['a note that is not there', { kept: ['/nowhere/secret-name.note'] }],
  ] as const)('ends with 2 for %s, and does not repeat what was said', async (_, asked) => {
    const refused = await verify(asked).catch((error: unknown) => error as { exitCode: number; message: string });
    expect(refused).toMatchObject({ name: 'CommandError', exitCode: EXIT.usage });
    for (const said of Object.values(asked)
      .flat()
      .map(String)
      .filter((text) => text.length > 6))
      expect((refused as { message: string }).message.replace(/example .*/, '')).not.toContain(said);
  });
});

it('forecourt audit check ends with 2 for a key that is none', async () => {
  const output = { result: () => undefined, progress: () => undefined };
  const key = [await file('no-key.pem', 'nothing')];
  await expect(auditCheck(await file('x.ndjson', '{}'), { key }, output)).rejects.toMatchObject({
    exitCode: EXIT.usage,
  });
});
