import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import type { StoredRow } from '../app/audit-log-reader.js';
import { checkRow } from '../app/check-row.js';
import { quickLeaf } from '../app/quick-check.js';
import { auditLine } from '../domain/canonical-record.js';
import { decodeCanonical, leafOf } from '../domain/stored-record.js';
import { CopiedRecords } from './copied-records.js';

const COLUMNS = ['eventId', 'occurredAt', 'organizationId', 'traceId', 'surface', 'operation', 'profile', 'actorKind'];
const MORE = ['decision', 'reason', 'policyVersion', 'outcome', 'failureCode', 'purpose', 'beforeHash', 'afterHash'];
const ORDER = [...COLUMNS, 'rooftopIds', 'resourceIds', ...MORE] as readonly (keyof StoredRow['columns'])[];

const int = (bytes: number, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(value));
  else buffer.writeIntBE(value, 0, bytes);
  return buffer;
};
const field = (value: Buffer | null): Buffer =>
  value === null ? int(4, -1) : Buffer.concat([int(4, value.length), value]);
const text = (value: string | null): Buffer | null => (value === null ? null : Buffer.from(value));

/** As PostgreSQL's `array_send`, `timestamptz_send` and `textsend` write them. */
function columnOf(name: string, value: unknown): Buffer | null {
  if (name === 'occurredAt') return int(8, (Date.parse(value as string) - Date.UTC(2000, 0, 1)) * 1000);
  if (!Array.isArray(value)) return text(value as string | null);
  if (value.length === 0) return Buffer.concat([int(4, 0), int(4, 0), int(4, 25)]);
  const head = [int(4, 1), int(4, value.includes(null) ? 1 : 0), int(4, 25), int(4, value.length), int(4, 1)];
  return Buffer.concat([...head, ...value.map((item) => field(text(item as string | null)))]);
}

function copied(rows: readonly (StoredRow | null)[]): Buffer {
  const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), int(8, 0)]);
  const tuples = rows.map((row, seq) => {
    const own = row === null ? Array<null>(4).fill(null) : [row.canon, row.nonce, text(row.actor), text(row.client)];
    const columns = ORDER.map((name) => (row === null ? null : columnOf(name, row.columns[name])));
    const fields = [int(8, seq), row === null ? Buffer.alloc(32) : leafOf(row.canon), ...own, ...columns];
    return Buffer.concat([int(2, fields.length), ...fields.map(field)]);
  });
  return Buffer.concat([header, ...tuples, int(2, -1)]);
}

function stored(record: AuditRecord, nonceHex: string): StoredRow {
  const canon = Buffer.from(auditLine(record, nonceHex).split('\t')[3]!);
  const decoded = new Map(Object.entries(decodeCanonical(canon)));
  decoded.delete('actorCommitment');
  decoded.delete('clientCommitment');
  const columns = Object.fromEntries(decoded) as unknown as StoredRow['columns'];
  return { columns, actor: record.actor, client: record.client, canon, nonce: Buffer.from(nonceHex, 'hex') };
}

const leavesOf = (rows: readonly (StoredRow | null)[]): (Buffer | undefined)[] =>
  new CopiedRecords(copied(rows)).read().map(({ sketch }) => (sketch === null ? undefined : quickLeaf(sketch)));

const plain = fc.stringMatching(/^[ !#-[\]-~]{1,12}$/);
const any = fc.oneof(
  plain,
  fc.string({ unit: 'binary', maxLength: 8 }).filter((value) => !value.includes('\0')),
);
const value = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((s) => !/[\u0000-\u001f\u007f]/.test(s));
const orNull = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { nil: null });
const recordOf = (of: fc.Arbitrary<string>): fc.Arbitrary<AuditRecord> =>
  fc.record({
    eventId: of,
    occurredAt: fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2200, 0, 1) }),
    organizationId: of,
    traceId: of,
    surface: fc.constantFrom('mcp', 'admin'),
    operation: of,
    profile: orNull(of),
    actorKind: fc.constantFrom('agent', 'person'),
    actor: orNull(value),
    client: orNull(value),
    rooftopIds: fc.array(of, { maxLength: 3 }),
    resourceIds: fc.array(of, { maxLength: 3 }),
    decision: fc.constantFrom('allow', 'deny'),
    reason: orNull(of),
    policyVersion: orNull(of),
    outcome: fc.constantFrom('succeeded', 'failed'),
    failureCode: orNull(of),
    purpose: orNull(of),
    beforeHash: orNull(of),
    afterHash: orNull(of),
  });
const nonce = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'));

describe('records as they are copied out of the database', { timeout: 30_000 }, () => {
  it('are told to be sound in the quick way, where they are sound and plain', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(recordOf(plain), nonce), { maxLength: 5 }), (records) => {
        const rows = records.map(([record, nonceHex]) => stored(record, nonceHex));
        expect(leavesOf(rows)).toEqual(rows.map(({ canon }) => leafOf(canon)));
      }),
    );
  });

  it('are never told to be sound where the whole check finds something', () => {
    const change = fc.record({
      name: fc.constantFrom(...ORDER, 'actor', 'client', 'canon', 'nonce'),
      other: orNull(any),
      at: fc.nat({ max: 600 }),
    });
    let [changed, found] = [0, 0];
    fc.assert(
      fc.property(recordOf(fc.oneof(plain, any)), nonce, change, (record, nonceHex, { name, other, at }) => {
        const sound = stored(record, nonceHex);
        const row = changedRow(sound, name, other, at);
        const [leaf] = leavesOf([row]);
        changed++;
        if (checkRow(row) === undefined) {
          if (leaf !== undefined) expect(leaf).toEqual(leafOf(row.canon));
        } else {
          found++;
          expect(leaf).toBeUndefined();
        }
      }),
      { numRuns: 1000 },
    );
    expect(found, 'changes that the whole check finds').toBeGreaterThan(changed / 2);
  });

  it('are not told where a value moves its limit into its neighbour', () => {
    const sound = stored(SAMPLE, '00'.repeat(16));
    for (const columns of [
      { rooftopIds: ['a","b'] },
      { rooftopIds: ['a', 'b'], resourceIds: [] },
      { surface: 'mcp","look' },
      { resourceIds: ['c'], decision: 'allow","x' },
    ]) {
      const moved = { ...sound, columns: { ...sound.columns, ...columns } } as StoredRow;
      expect(leavesOf([moved])).toEqual(checkRow(moved) === undefined ? [leafOf(sound.canon)] : [undefined]);
    }
    expect(leavesOf([null, { ...sound, nonce: null }, sound])).toEqual([undefined, undefined, leafOf(sound.canon)]);
  });

  it('are refused as a whole in another form, or where the end is missing', () => {
    const bytes = copied([stored(SAMPLE, '11'.repeat(16))]);
    expect(() => new CopiedRecords(Buffer.from('no copy')).read()).toThrow();
    for (const length of [19, 100, bytes.length - 2])
      expect(() => new CopiedRecords(bytes.subarray(0, length)).read()).toThrow();
  });
});

const SAMPLE: AuditRecord = {
  eventId: 'req_1',
  occurredAt: Date.UTC(2026, 10, 30),
  organizationId: 'org.a',
  traceId: 'trc_1',
  surface: 'mcp',
  operation: 'look',
  profile: null,
  actorKind: 'agent',
  actor: 'agent.é',
  client: null,
  rooftopIds: ['a', 'b'],
  resourceIds: [],
  decision: 'allow',
  reason: null,
  policyVersion: null,
  outcome: 'succeeded',
  failureCode: null,
  purpose: null,
};

function changedRow(row: StoredRow, name: string, other: string | null, at: number): StoredRow {
  if (name === 'actor' || name === 'client') return { ...row, [name]: other };
  if (name === 'nonce') return { ...row, nonce: other === null ? null : Buffer.alloc(16, other) };
  if (name === 'canon') {
    const canon = Buffer.from(row.canon);
    canon[at % canon.length] = (canon[at % canon.length]! + 1 + at) & 0xff;
    return { ...row, canon };
  }
  const now = row.columns[name as keyof StoredRow['columns']];
  if (name === 'occurredAt')
    return { ...row, columns: { ...row.columns, occurredAt: new Date(Date.parse(now as string) + at).toISOString() } };
  if (!Array.isArray(now)) return { ...row, columns: { ...row.columns, [name]: other } };
  const items = now.length > 0 && at % 3 === 0 ? [now.join('","')] : [...(now as unknown[]), other].slice(at % 2);
  return { ...row, columns: { ...row.columns, [name]: items } };
}
