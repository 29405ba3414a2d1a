import type { RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { ClockBasis, RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import { holdBinds, holdCovers, type Coverable, type HoldInForce } from './hold-coverage.js';
import { limitsOf, termsOf, type Limit } from './limits-of.js';
import { endOf } from './period.js';
import type { RulesInForce } from './retention-policy.js';

/** A record as far as anything about its end depends on it. */
export interface RetainedRecord extends Omit<Coverable, 'created'> {
  /** Milliseconds. Absent or null: that time has not come, or is not known; then nothing counts from it. */
  readonly clocks: Readonly<Partial<Record<ClockBasis, number | null>>>;
  /** Something that is in use needs it, such as what is published now: no time lets it go. */
  readonly inUse?: boolean;
  /** Of actions that leave the record. An action that is absent has nothing to do to it. */
  readonly steps?: Readonly<Partial<Record<RetentionAction, RecordStep>>>;
}

/** What an action that leaves the record would do to it. */
export interface RecordStep {
  /** Something is there that it would take. False: it is done. */
  readonly left: boolean;
  /** Something that is in use needs the record as it is. */
  readonly inUse: boolean;
}

/** A request of a person to be forgotten, after it was verified who asks. */
export interface VerifiedErasure {
  readonly requestId: string;
  /** Milliseconds. */
  readonly verifiedAt: number;
  /** A record is meant that is known to be of one of these. */
  readonly subjects: readonly string[];
  /** Categories that an exception of the law keeps, with its ground. */
  readonly exceptions: readonly { readonly category: RetentionCategory; readonly ground: string }[];
}

export interface DecisionTime {
  /** Milliseconds. */
  readonly now: number;
  /** When the run was approved that asks; null outside runs. */
  readonly approvedAt: number | null;
}

/** Why a record stays or goes. Times are milliseconds. */
export type RetentionReason =
  /** A hold covers it, or its records are still counted, which stops everything. `freeFrom`: it was released. */
  | { readonly kind: 'hold'; readonly holdId: string; readonly counting: boolean; readonly freeFrom: number | null }
  /** Not before `until`; null while the clock has not begun. */
  | {
      readonly kind: 'floor';
      readonly ruleId: string;
      readonly rooftopId: string | null;
      readonly until: number | null;
    }
  | { readonly kind: 'erasure'; readonly requestId: string; readonly from: number }
  | { readonly kind: 'erasure_exception'; readonly requestId: string; readonly ground: string }
  /** At `at`; null while the clock has not begun. */
  | { readonly kind: 'ceiling'; readonly ruleId: string; readonly rooftopId: string | null; readonly at: number | null }
  | { readonly kind: 'in_use' | 'no_policy' | 'no_rule' | 'no_ceiling' | 'nothing_left' };

/** What becomes of a record. */
export interface RetentionDecision {
  /** `keep`: nothing, for as long as its reasons stay as they are. */
  readonly action: RetentionAction | 'keep';
  /** When the action is due, in milliseconds, also when that is long ago; null when it is kept. */
  readonly at: number | null;
  /** Every reason, and the one that decides first. */
  readonly because: readonly [RetentionReason, ...RetentionReason[]];
}

/**
 * The one decision about a record (decision record 0044): a hold keeps it, and so does being in use; else no floor lets it go
 * before its end; else a verified erasure request or the shortest ceiling takes it, whichever comes first. What is not known
 * never makes it go sooner. Of an action that leaves the record (decision record 0059) it says the same: holds and floors keep it as it
 * is, the action's own ceilings make it due, and what is done is not done again. Erasure requests are about deletion.
 * @param rules undefined while no policy is active: then nothing goes
 */
export function decide(
  record: RetainedRecord,
  rules: RulesInForce | undefined,
  holds: readonly HoldInForce[],
  erasures: readonly VerifiedErasure[],
  time: DecisionTime,
  action: RetentionAction = 'delete',
): RetentionDecision {
  const held = [...holdReasons(record, holds, time), ...useReasons(record, action)];
  if (rules === undefined) return keep(...held, { kind: 'no_policy' });
  const limits = limitReasons(record, rules, action);
  const { asked, excepted } = erasureReasons(record, action === 'delete' ? erasures : []);
  const all = [...held, ...limits.floors, ...asked, ...excepted, ...limits.ceilings];
  if (held.length > 0) return keep(...all);
  const terms = termsOf(rules, record.category);
  const taking = first([...asked, ...limits.ceilings], dueAt);
  if (taking === undefined) return keep({ kind: terms === undefined ? 'no_rule' : 'no_ceiling' }, ...all);
  const due = dueAt(taking);
  const floor = first(limits.floors, ({ until }) => -(until ?? Infinity));
  const at = Math.max(due, floor === undefined ? -Infinity : (floor.until ?? Infinity));
  const deciding = floor !== undefined && at > due ? floor : taking;
  const because = [deciding, ...all.filter((reason) => reason !== deciding)] as const;
  return at === Infinity ? keep(...because) : { action, at, because };
}

/** A ceiling whose clock has not begun is never due. */
const dueAt = (reason: Reason<'erasure' | 'ceiling'>): number =>
  (reason.kind === 'erasure' ? reason.from : reason.at) ?? Infinity;

/** Whether a decision says that it is time. */
export const isDue = ({ action, at }: RetentionDecision, now: number): boolean =>
  action !== 'keep' && at !== null && at <= now;

function keep(...because: readonly RetentionReason[]): RetentionDecision {
  const [deciding, ...others] = because;
  if (deciding === undefined) throw new Error('a record is kept for a reason');
  return { action: 'keep', at: null, because: [deciding, ...others] };
}

type Reason<K extends RetentionReason['kind']> = Extract<RetentionReason, { readonly kind: K }>;

function holdReasons(
  record: RetainedRecord,
  holds: readonly HoldInForce[],
  { now, approvedAt }: DecisionTime,
): readonly Reason<'hold'>[] {
  const coverable = { ...record, created: record.clocks.created ?? null };
  return holds
    .filter((hold) => holdBinds(hold, now, approvedAt) && (hold.counting || holdCovers(hold, coverable)))
    .map(({ holdId, counting, freeFrom }) => ({ kind: 'hold', holdId, counting, freeFrom }));
}

function useReasons({ inUse, steps }: RetainedRecord, action: RetentionAction): readonly RetentionReason[] {
  if (action === 'delete') return inUse === true ? [{ kind: 'in_use' }] : [];
  const step = steps?.[action];
  if (step?.left !== true) return [{ kind: 'nothing_left' }];
  return step.inUse ? [{ kind: 'in_use' }] : [];
}

function limitReasons(
  { category, rooftops, clocks }: RetainedRecord,
  rules: RulesInForce,
  action: RetentionAction,
): { readonly floors: readonly Reason<'floor'>[]; readonly ceilings: readonly Reason<'ceiling'>[] } {
  const terms = termsOf(rules, category);
  const begun = terms === undefined ? null : (clocks[terms.clock] ?? null);
  const end = ({ period }: Limit): number | null => (begun === null ? null : endOf(begun, period));
  const limits = limitsOf(rules, category, action, rooftops);
  return {
    floors: distinct(limits.flatMap(({ floors }) => floors)).map((limit) => ({
      kind: 'floor',
      ruleId: limit.ruleId,
      rooftopId: limit.rooftopId,
      until: end(limit),
    })),
    ceilings: distinct(limits.flatMap(({ ceilings }) => ceilings)).map((limit) => ({
      kind: 'ceiling',
      ruleId: limit.ruleId,
      rooftopId: limit.rooftopId,
      at: end(limit),
    })),
  };
}

/** A request means the records that are known to be of the person: who it is of is not known is not erased on a guess. */
function erasureReasons(
  { category, subjects }: RetainedRecord,
  erasures: readonly VerifiedErasure[],
): { readonly asked: readonly Reason<'erasure'>[]; readonly excepted: readonly Reason<'erasure_exception'>[] } {
  const asked: Reason<'erasure'>[] = [];
  const excepted: Reason<'erasure_exception'>[] = [];
  for (const { requestId, verifiedAt, subjects: named, exceptions } of erasures) {
    if (subjects?.some((subject) => named.includes(subject)) !== true) continue;
    const exception = exceptions.find((candidate) => candidate.category === category);
    if (exception === undefined) asked.push({ kind: 'erasure', requestId, from: verifiedAt });
    else excepted.push({ kind: 'erasure_exception', requestId, ground: exception.ground });
  }
  return { asked, excepted };
}

/** A rule that counts for two rooftops of a record is one reason. */
const distinct = (limits: readonly Limit[]): readonly Limit[] => [
  ...new Map(limits.map((limit) => [limit.ruleId, limit])).values(),
];

/** The least of them by a number. */
function first<T>(values: readonly T[], by: (value: T) => number): T | undefined {
  let least: T | undefined;
  for (const value of values) if (least === undefined || by(value) < by(least)) least = value;
  return least;
}
