import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareMarks } from './compare-marks.js';
import { readJournalKey } from './journal-key.js';
import { hashOfLine, sealLine, type SegmentHead, segmentHeadLine } from './journal-line.js';
import { readSegment, readTail } from './read-segment.js';

const SEGMENT = '01KB0000000000000000000000';
const OTHER = '01KB0000000000000000000001';
const key = readJournalKey(randomBytes(32).toString('base64'));

function segmentOf(count: number, segmentId = SEGMENT): string[] {
  const lines = [segmentHeadLine(segmentId, key.keyId)];
  let head: SegmentHead = { seq: 0, hash: hashOfLine(lines[0] ?? '') };
  for (let i = 1; i <= count; i++) {
    const content = { what: 'key', id: `key-${i}`, revokedAt: '2026-11-30T00:00:00.000Z' } as const;
    const line = sealLine(key, segmentId, head, {
      at: '2026-11-30T00:00:00.000Z',
      entry: { kind: 'revocation', organizationId: 'group-a', content },
    });
    head = { seq: i, hash: hashOfLine(line) };
    lines.push(line);
  }
  return lines;
}

const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''));
const read = (lines: readonly string[]): ReturnType<typeof readSegment> => readSegment(SEGMENT, bytesOf(lines), [key]);
const findingsOf = (lines: readonly string[] | undefined): readonly string[] => {
  const written = read(segmentOf(0));
  expect(written.damage).toBeUndefined();
  const lying =
    lines === undefined
      ? []
      : [
          {
            segmentId: SEGMENT,
            lastSeq: Math.max(0, ...readTail(bytesOf(lines)).keys()),
            hashes: readTail(bytesOf(lines)),
          },
        ];
  return compareMarks([{ segmentId: SEGMENT, promised: 5, last: knownHead, lost: false }], lying).findings.map(
    (f) => f.problem,
  );
};

const intact = segmentOf(5);
const knownHead: SegmentHead = { seq: 5, hash: hashOfLine(intact[5] ?? '') };

describe('a segment', () => {
  it('gives every entry back, and nothing of them can be read without the key', () => {
    const reading = read(intact);
    expect(reading).toMatchObject({ damage: undefined, tornBytes: 0, head: knownHead });
    expect(reading.entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(bytesOf(intact).toString('latin1')).not.toContain('key-1');
    const stranger = readJournalKey(randomBytes(32).toString('base64'));
    expect(readSegment(SEGMENT, bytesOf(intact), [stranger])).toMatchObject({
      damage: { kind: 'key_unknown' },
      entries: [],
    });
  });

  it('tells altered, moved, missing and torn lines apart, and keeps the others', () => {
    const [head = '', one = '', two = '', three = '', four = '', five = ''] = intact;
    expect(read([head, one, `${two.slice(0, -3)}AAA`, three, four, five])).toMatchObject({
      damage: { kind: 'altered', line: 3 },
    });
    expect(read([head, one, three, two, four, five])).toMatchObject({ damage: { kind: 'out_of_order', line: 3 } });
    const gap = read([head, one, three, four, five]);
    expect(gap).toMatchObject({ damage: { kind: 'out_of_order', line: 3 } });
    expect(gap.entries.map(({ seq }) => seq)).toEqual([1, 3, 4, 5]);
    expect(read([segmentOf(0, OTHER)[0] ?? '', one])).toMatchObject({
      damage: { kind: 'head_unreadable' },
      entries: [],
    });
    const torn = readSegment(SEGMENT, Buffer.concat([bytesOf(intact), Buffer.from('6 abc')]), [key]);
    expect(torn).toMatchObject({ damage: undefined, tornBytes: 5, head: knownHead });
  });

  it('takes no line of another segment, and none that somebody without the key made', () => {
    const foreign = segmentOf(5, OTHER);
    expect(read([...intact.slice(0, 3), foreign[3] ?? '']).damage?.kind).toBe('altered');
    expect(read([...intact, `6 ${knownHead.hash} ${randomBytes(60).toString('base64url')}`]).damage).toEqual({
      kind: 'altered',
      line: 7,
    });
  });

  it('notices any change of any byte', () => {
    const bytes = bytesOf(intact);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        const { damage, tornBytes } = readSegment(SEGMENT, changed, [key]);
        expect(damage !== undefined || tornBytes > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the journal against what the database knows', () => {
  it('is as it was written', () => {
    expect(findingsOf(intact)).toEqual([]);
  });

  it.each([
    ['a missing segment', undefined, 'segment_missing'],
    ['a segment that was cut', intact.slice(0, 4), 'segment_cut'],
    ['a last entry that is another one', segmentOf(5), 'segment_altered'],
    ['a segment that goes further than was announced', segmentOf(6), 'database_older'],
  ])('finds %s', (_, lines, problem) => {
    expect(findingsOf(lines)).toEqual([problem]);
  });

  it('finds a segment that the database has never heard of, and takes one that was announced and never written', () => {
    const lying = [{ segmentId: OTHER, lastSeq: 1, hashes: new Map([[1, 'x']]) }];
    const announced = { segmentId: SEGMENT, promised: 1, last: undefined, lost: false };
    expect(compareMarks([announced], lying).findings).toEqual([{ segmentId: OTHER, problem: 'database_older' }]);
  });
});
