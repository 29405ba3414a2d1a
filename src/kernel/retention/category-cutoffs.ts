import type { ClockBasis, RetentionCategory } from './retention-categories.js';

/**
 * What becomes of a record whose time is over. `redact` takes what it says of persons where a proof of the rest stays, `anonymise`
 * puts a mark in its place; both leave the record, which may be deleted later. `shred` destroys the key that it is sealed with.
 */
export const RETENTION_ACTIONS = ['delete', 'redact', 'anonymise', 'shred'] as const;
export type RetentionAction = (typeof RETENTION_ACTIONS)[number];

/**
 * The decision about one action for every record of one category at one moment, as times to compare its clock with. A record is over when its
 * clock reads at most `ceilingBefore` of one of its rooftops and at most `floorBefore` of all of them; holds and erasure
 * requests aside. Milliseconds; null ceiling: never over, null floor: nothing keeps it. Derived from `decide`, and equal to it
 * for every record (property test).
 */
export interface CategoryCutoffs {
  readonly category: RetentionCategory;
  readonly clock: ClockBasis;
  readonly action: RetentionAction;
  /** For records of no rooftop, and of rooftops that are not listed. */
  readonly standard: Cutoff;
  /** For records whose rooftops are not known: the strictest of all. */
  readonly unknown: Cutoff;
  readonly rooftops: readonly (Cutoff & { readonly rooftopId: string })[];
  /** Rules that these follow from. */
  readonly ruleIds: readonly string[];
}

export interface Cutoff {
  readonly floorBefore: number | null;
  readonly ceilingBefore: number | null;
}
