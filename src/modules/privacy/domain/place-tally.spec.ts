import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyTally, KEPT_FOR, type Verdict, waitingFor, withVerdict } from './place-tally.js';

const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constant<Verdict>({ goes: true }),
  fc.record({
    goes: fc.constant(false as const),
    why: fc.constantFrom(...KEPT_FOR),
    grounds: fc.array(fc.constantFrom('hold.a', 'hold.b', 'rule.a'), { maxLength: 2 }),
    until: fc.option(fc.nat(1000)),
  }),
);
const tallyOf = (verdicts: readonly Verdict[]) => verdicts.reduce(withVerdict, emptyTally('grants'));

describe('a tally', () => {
  it('counts every record once, in whatever order they come', () => {
    fc.assert(
      fc.property(
        fc
          .array(verdict)
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const tally = tallyOf(all);
          expect(tallyOf(shuffled)).toEqual(tally);
          expect(tally.found).toBe(all.length);
          expect(tally.goes + tally.kept.reduce((sum, { records }) => sum + records, 0)).toBe(all.length);
        },
      ),
    );
  });

  it('waits for holds, floors and a policy, and for nothing else', () => {
    fc.assert(
      fc.property(fc.array(verdict), (all) => {
        const temporary = all.filter((one) => !one.goes && one.why !== 'proof' && one.why !== 'exception');
        const waiting = waitingFor([tallyOf(all)]);
        expect(waiting !== null).toBe(temporary.length > 0);
        const holds = all.flatMap((one) => (!one.goes && one.why === 'hold' ? one.grounds : []));
        expect(waiting?.holds ?? []).toEqual([...new Set(holds)].toSorted());
        const ends = temporary.flatMap((one) => (one.goes || one.until === null ? [] : [one.until]));
        expect(waiting?.againAt ?? null).toBe(ends.length === 0 ? null : Math.min(...ends));
      }),
    );
  });
});
