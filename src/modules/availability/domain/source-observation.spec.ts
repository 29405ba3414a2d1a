import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rfc3339 } from '../../../kernel/time.js';
import { isCurrent, readSourceAnswer } from './source-observation.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const VALID_SECONDS = 60;
const at = (seconds: number): string => rfc3339(NOW + seconds * 1000);
const read = (answer: unknown) => readSourceAnswer(answer, VALID_SECONDS, NOW);

describe('The answer of an availability source', () => {
  it('is valid for the configured time, or for less where it says so, never for more', () => {
    const observed_at = at(-10);
    const validUntil = (valid_until?: string) =>
      read({ status: 'available', observed_at, ...(valid_until === undefined ? {} : { valid_until }) });
    expect(validUntil()).toEqual({ status: 'available', observedAt: NOW - 10_000, validUntil: NOW + 50_000 });
    expect(validUntil(at(5))).toMatchObject({ validUntil: NOW + 5000 });
    expect(validUntil(at(500))).toMatchObject({ validUntil: NOW + 50_000 });
    expect(validUntil(at(-20))).toMatchObject({ validUntil: NOW - 20_000 });
  });

  it.each(['sold', 'on_hold', 'unknown'])('says %s in the words of the protocol', (status) => {
    expect(read({ status, observed_at: at(0) })).toMatchObject({ status });
  });

  it.each(['Available', 'in stock', 'reserved', '__proto__', 'toString'])('is unknown for the word %s', (status) => {
    expect(read({ status, observed_at: at(0) })).toMatchObject({ status: 'unknown' });
  });

  it.each([
    undefined,
    null,
    'available',
    [],
    {},
    { status: 'available' },
    { status: 'available', observed_at: '2026-11-30T12:00:00' },
    { status: 'available', observed_at: 'yesterday' },
    { status: 1, observed_at: at(0) },
    { status: '', observed_at: at(0) },
    { status: 'available', observed_at: at(0), valid_until: null },
    { status: 'available', observed_at: at(0), reserved: true },
  ])('is refused whole when it is %j', (answer) => {
    expect(read(answer)).toEqual({ problem: 'answer_malformed' });
  });

  it('may be a little ahead of our clock, and then counts as made now', () => {
    expect(read({ status: 'available', observed_at: at(5) })).toMatchObject({ observedAt: NOW });
    expect(read({ status: 'available', observed_at: rfc3339(NOW + 5001) })).toEqual({
      problem: 'answer_from_the_future',
    });
  });

  it('never counts as observed in the future or as valid for longer than configured', () => {
    const seconds = fc.integer({ min: -100_000, max: 100_000 });
    fc.assert(
      fc.property(seconds, fc.option(seconds, { nil: undefined }), (observed, valid) => {
        const answer = {
          status: 'available',
          observed_at: at(observed),
          ...(valid === undefined ? {} : { valid_until: at(valid) }),
        };
        const observation = read(answer);
        if ('problem' in observation) return;
        expect(observation.observedAt).toBeLessThanOrEqual(NOW);
        expect(observation.validUntil).toBeLessThanOrEqual(observation.observedAt + VALID_SECONDS * 1000);
        if (observed < -VALID_SECONDS) expect(isCurrent(observation, NOW)).toBe(false);
      }),
    );
  });

  it('is current up to and including its last moment', () => {
    expect(isCurrent({ validUntil: NOW }, NOW)).toBe(true);
    expect(isCurrent({ validUntil: NOW }, NOW + 1)).toBe(false);
  });
});
