import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';

/** What a matter keeps: the records that every dimension covers which is not null. Null is any. Times are milliseconds. */
export interface HoldScope {
  readonly rooftopIds: readonly string[] | null;
  readonly categories: readonly RetentionCategory[] | null;
  readonly subjects: readonly string[] | null;
  readonly recordIds: readonly string[] | null;
  /** Of the record's creation: `from <= created < until`. */
  readonly from: number | null;
  readonly until: number | null;
}

/** What is to be held, and why. */
export interface RequestedHold extends HoldScope {
  /** The case, in the words of whoever leads it. */
  readonly matter: string;
  readonly reason: string;
}

/** What a hold covered when it was counted. */
export interface HoldCount {
  readonly covered: number;
  /** Root of the tree over the listed records (`HoldRoot`), 32 bytes. */
  readonly root: Uint8Array;
  readonly countedAt: number;
}

/** How a hold ends. */
export interface HoldRelease {
  readonly releasedAt: number;
  readonly releasedBy: string;
  readonly reason: string;
  /** End of the cooling period: until then it binds like before. */
  readonly freeFrom: number;
}

/** A legal hold. It is counted once, released once, and never anything else. */
export interface LegalHold extends RequestedHold {
  readonly holdId: string;
  readonly placedBy: string;
  /** T: nothing covered is deleted by any path after this moment. Rounded up, so that it never says more than it keeps. */
  readonly placedAt: number;
  /** Null while it is counted; no deletion of the organization begins meanwhile. */
  readonly count: HoldCount | null;
  readonly release: HoldRelease | null;
}

export type HoldState = 'counting' | 'active' | 'cooling' | 'released';

/** `cooling`: released, and still binding. A released hold goes on binding every run that was approved before the release. */
export function stateOf({ count, release }: LegalHold, now: number): HoldState {
  if (release !== null) return release.freeFrom > now ? 'cooling' : 'released';
  return count === null ? 'counting' : 'active';
}

/** The hold as audit records and approvals have its hash: plain data, without what the passing of time makes of it. */
export const hashedView = ({ count, ...hold }: LegalHold): object => ({
  ...hold,
  count: count === null ? null : { ...count, root: Buffer.from(count.root).toString('hex') },
});
