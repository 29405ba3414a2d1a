import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cosign } from '../../src/modules/audit/domain/log/cosignature.js';
import { type NoteKey, parseNote } from '../../src/modules/audit/domain/log/signed-note.js';
import { AuditLogWorld, insideOf } from '../support/audit-log-world.js';

const ORGANIZATION = 'org.witnessed';
const keys = generateKeyPairSync('ed25519');
const witness: NoteKey = { name: 'witness.group', kind: 'cosignature', publicKey: keys.publicKey };
const stranger: NoteKey = { ...witness, publicKey: generateKeyPairSync('ed25519').publicKey };

let world: AuditLogWorld;
let notes: readonly string[];
const cosigned = (note: string): string =>
  note + cosign(parseNote(note)!.text, 1_800_000_000, witness, keys.privateKey);

beforeAll(async () => {
  world = await AuditLogWorld.open();
  notes = await world.grow(ORGANIZATION, 60, 20);
});
afterAll(() => world.close());

it('takes a kept note only with the signature of a witness that the caller knows', async () => {
  const kept = [cosigned(notes[1]!)];
  expect(await world.verify(ORGANIZATION, { kept, witnesses: [witness] })).toMatchObject({ result: 'intact' });
  for (const options of [
    { kept: [notes[1]!], witnesses: [witness] },
    { kept, witnesses: [stranger] },
  ]) {
    const { result, findings } = await world.verify(ORGANIZATION, options);
    expect({ result, kinds: findings.map(({ kind }) => kind) }).toEqual({
      result: 'tampered',
      kinds: ['checkpoint_unsigned'],
    });
  }
});

it('uses what witnesses cosigned and is still there: a tail that was cut with its checkpoints is missed', async () => {
  const cut = async (cosignedNote: string | undefined, witnesses: readonly NoteKey[]): Promise<string> => {
    await world.admin.query('BEGIN');
    for (const table of ['audit_events', 'audit_entries', 'audit_checkpoints', 'audit_cosignatures'])
      await world.admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    if (cosignedNote !== undefined)
      await world.admin.query(`INSERT INTO audit_cosignatures VALUES ($1, 'target', 60, now(), $2)`, [
        ORGANIZATION,
        cosignedNote,
      ]);
    await world.admin.query(
      'DELETE FROM audit_events WHERE (recorded_at, event_id) IN (SELECT recorded_at, event_id FROM audit_entries WHERE seq >= 40)',
    );
    for (const table of ['audit_entries WHERE seq >= 40', 'audit_checkpoints WHERE size > 40'])
      await world.admin.query(`DELETE FROM ${table}`);
    await world.admin.query('SET LOCAL ROLE forecourt_app');
    const { result } = await world.verify(ORGANIZATION, { witnesses }, insideOf(world.admin));
    await world.admin.query('ROLLBACK');
    return result;
  };
  expect(await cut(undefined, [])).toBe('intact');
  expect(await cut(cosigned(notes[2]!), [])).toBe('tampered');
  expect(await cut(cosigned(notes[2]!), [witness])).toBe('tampered');
  expect(await cut(cosigned(notes[2]!), [stranger])).toBe('intact');
});
