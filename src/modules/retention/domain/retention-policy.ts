import type { RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { ClockBasis, RetentionCategory } from '../../../kernel/retention/retention-categories.js';

export const PERIOD_UNITS = ['hours', 'days', 'months', 'years'] as const;

/** A length of time in calendar words: months and years are not a number of days. How it is counted: `period.ts`. */
export interface Period {
  readonly count: number;
  readonly unit: (typeof PERIOD_UNITS)[number];
  /** Days on top: five years and 90 days. */
  readonly plusDays?: number;
}

/**
 * What a policy says about one category in one jurisdiction. At least one of floor and ceiling is there. All rules of a category
 * count from one clock: what counts from two clocks cannot be compared, so that a floor above a ceiling could not be refused.
 * Besides deletion they name one action at most, which leaves the record and comes before it.
 */
export interface RetentionRule {
  /** Unique within the version. */
  readonly ruleId: string;
  readonly category: RetentionCategory;
  /** `*`, a country (`US`) or a state (`US-CA`). A rule counts for every place inside its own. */
  readonly jurisdiction: string;
  readonly clock: ClockBasis;
  /** Nothing goes before this, by whatever action: the record is kept as it is. */
  readonly floor: Period | null;
  /** The action is due at this. */
  readonly ceiling: Period | null;
  readonly action: RetentionAction;
  /** Why, in one sentence, and where it is written. */
  readonly ground: string;
  readonly citation: string;
}

/** What a rooftop decides for itself: a ceiling of the end that is shorter, floors that are longer, never the reverse. */
export interface RooftopTightening {
  readonly rooftopId: string;
  readonly category: RetentionCategory;
  readonly floor: Period | null;
  readonly ceiling: Period | null;
  readonly ground: string;
}

/** That a draft is approved is said by its approval: it is in force, or not, by activation alone. */
export type PolicyState = 'draft' | 'active' | 'retired';

/** One immutable version of a named policy. */
export interface RetentionPolicyVersion {
  readonly policyId: string;
  readonly name: string;
  readonly version: number;
  readonly state: PolicyState;
  readonly rules: readonly RetentionRule[];
  readonly rooftops: readonly RooftopTightening[];
  /** SHA-256 of the canonical rules, hex. */
  readonly contentHash: string;
  /** Milliseconds; null before it was active. */
  readonly activatedAt: number | null;
}

/** Everything that decides about the records of one organization at one moment. */
export interface RulesInForce {
  readonly policy: RetentionPolicyVersion;
  /** Where each rooftop is, those that moved away too: `US-TX`; `US` or `*` where no more is known. */
  readonly jurisdictions: ReadonlyMap<string, string>;
  /** The narrowest place that holds every rooftop of the group, for records of no rooftop. `*`: not known. */
  readonly home: string;
}
