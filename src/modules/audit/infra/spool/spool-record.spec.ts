import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditLine } from '../append-statement.js';
import { encodeSpoolRecord, parseSpool } from './spool-record.js';

const line = fc.record({
  organizationId: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/),
  line: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
});
const fileOf = (lines: readonly AuditLine[]): Buffer => Buffer.concat(lines.map(encodeSpoolRecord));

describe('a spool', () => {
  it('gives back what was put in, in order', () => {
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const bytes = fileOf(lines);
        expect(parseSpool(bytes, 1000, true)).toEqual({ lines, damaged: [], consumed: bytes.length });
      }),
    );
  });

  it('that ends in the middle of a record gives all before it, and calls the rest torn only when nothing follows', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.nat(), (lines, cut) => {
        const whole = fileOf(lines);
        const last = encodeSpoolRecord(lines.at(-1)!);
        const kept = whole.subarray(0, whole.length - 1 - (cut % (last.length - 1)));
        const start = whole.length - last.length;
        expect(parseSpool(kept, 1000, false)).toEqual({ lines: lines.slice(0, -1), damaged: [], consumed: start });
        expect(parseSpool(kept, 1000, true)).toEqual({
          lines: lines.slice(0, -1),
          damaged: [{ from: start, to: kept.length }],
          consumed: kept.length,
        });
      }),
    );
  });

  it('loses to one changed byte at most the two records that it touches, and names the place', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 3, maxLength: 8 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (lines, at, change) => {
          const bytes = fileOf(lines);
          const place = at % bytes.length;
          bytes[place] = bytes[place]! ^ change;
          const parsed = parseSpool(bytes, 1000, true);
          expect(parsed.lines.length).toBeGreaterThanOrEqual(lines.length - 2);
          expect(parsed.lines.length).toBeLessThan(lines.length);
          expect(lines).toEqual(expect.arrayContaining([...parsed.lines]));
          expect(parsed.damaged[0]!.from).toBeLessThanOrEqual(place);
          expect(parsed.damaged.at(-1)!.to).toBeGreaterThan(place);
        },
      ),
    );
  });

  it('is read in pieces of at most so many records', () => {
    const lines = Array.from({ length: 5 }, (_, i) => ({ organizationId: 'a', line: `record ${i}` }));
    const bytes = fileOf(lines);
    const first = parseSpool(bytes, 2, true);
    expect(first.lines).toEqual(lines.slice(0, 2));
    expect(parseSpool(bytes.subarray(first.consumed), 9, true).lines).toEqual(lines.slice(2));
  });
});
