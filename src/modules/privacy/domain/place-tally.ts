/** Why a record of somebody who asked to be forgotten stays. */
export const KEPT_FOR = ['hold', 'floor', 'no_policy', 'exception', 'proof'] as const;
export type KeptFor = (typeof KEPT_FOR)[number];

/** What becomes of one record. `until`: when its floor ends, in milliseconds; null where that is not known or there is none. */
export type Verdict =
  | { readonly goes: true }
  | { readonly goes: false; readonly why: KeptFor; readonly grounds: readonly string[]; readonly until: number | null };

/** Records of a place that stay for one reason. Their use is restricted to that reason. */
export interface KeptRecords {
  readonly why: KeptFor;
  /** Ids of holds or of rules, or the ground in words. */
  readonly grounds: readonly string[];
  readonly records: number;
  /** When the first of them may go, in milliseconds. */
  readonly until: number | null;
}

/** What was found in one place, and what becomes of it. Counts and grounds, no ids of records. */
export interface PlaceTally {
  readonly place: string;
  readonly found: number;
  readonly goes: number;
  readonly kept: readonly KeptRecords[];
}

export const emptyTally = (place: string): PlaceTally => ({ place, found: 0, goes: 0, kept: [] });

/** With one more record. Written so that the order in which records come makes no difference. */
export function withVerdict(tally: PlaceTally, verdict: Verdict): PlaceTally {
  const found = tally.found + 1;
  if (verdict.goes) return { ...tally, found, goes: tally.goes + 1 };
  const { why, grounds, until } = verdict;
  const before = tally.kept.find((kept) => kept.why === why) ?? { why, grounds: [], records: 0, until: null };
  const after: KeptRecords = {
    why,
    grounds: [...new Set([...before.grounds, ...grounds])].toSorted(),
    records: before.records + 1,
    until: earlier(before.until, until),
  };
  const kept = [...tally.kept.filter((other) => other.why !== why), after];
  return { ...tally, found, kept: kept.toSorted((a, b) => KEPT_FOR.indexOf(a.why) - KEPT_FOR.indexOf(b.why)) };
}

/** What has to end before more can go: holds, and the first floor. Null: nothing, what stays stays for good. */
export function waitingFor(
  tallies: readonly PlaceTally[],
): { readonly holds: readonly string[]; readonly againAt: number | null } | null {
  const kept = tallies.flatMap((tally) => tally.kept).filter(({ why }) => why !== 'exception' && why !== 'proof');
  if (kept.length === 0) return null;
  const holds = kept.filter(({ why }) => why === 'hold').flatMap(({ grounds }) => grounds);
  return {
    holds: [...new Set(holds)].toSorted(),
    againAt: kept.reduce<number | null>((first, { until }) => earlier(first, until), null),
  };
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);
