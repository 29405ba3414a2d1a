import type { RetentionAction } from '../../src/kernel/retention/category-cutoffs.js';
import type { ClockBasis } from '../../src/kernel/retention/retention-categories.js';
import type {
  HoldInForce,
  Period,
  RetainedRecord,
  RulesInForce,
  VerifiedErasure,
} from '../../src/modules/retention/index.js';

/** One case of the decision. */
export interface RetentionCase {
  readonly record: RetainedRecord;
  readonly rules: RulesInForce;
  readonly holds: readonly HoldInForce[];
  readonly erasures: readonly VerifiedErasure[];
  readonly now: number;
  readonly approvedAt: number | null;
}

/** Whether a record's rules name no deletion: then what they name is how it ends. */
const endsIn = (rules: RulesInForce['policy']['rules'], category: string): RetentionAction => {
  const named = rules.filter((rule) => rule.category === category);
  const [first] = named;
  return first === undefined || named.some(({ action }) => action === 'delete') ? 'delete' : first.action;
};

/**
 * The second opinion about `decide`, written to be plain and not fast: it does not compute when something is over but counts how
 * much of a period has passed at a moment, and asks each place a record may be in by itself.
 * @param at the moment in question, with the holds as they are at `now`
 */
export function goesAt(
  { record, rules, holds, erasures, now, approvedAt }: RetentionCase,
  at: number,
  action: RetentionAction,
): boolean {
  for (const hold of holds) {
    const over =
      hold.releasedAt !== null &&
      now >= (hold.freeFrom ?? Infinity) &&
      !(approvedAt !== null && approvedAt <= hold.releasedAt);
    if (!over && (hold.counting || matches(hold, record))) return false;
  }
  if (action === 'delete') {
    if (record.inUse === true) return false;
  } else {
    const step = record.steps?.[action];
    if (step === undefined || step.inUse || !step.left) return false;
  }
  let ceilingPassed = false;
  for (const situation of situationsOf(record, rules)) {
    for (const said of situation) {
      const from = said.clock && record.clocks[said.clock];
      if (said.floor !== null && (from === undefined || from === null || !hasPassed(from, at, said.floor)))
        return false;
      if (said.action !== action) continue;
      if (said.ceiling !== null && typeof from === 'number' && hasPassed(from, at, said.ceiling)) ceilingPassed = true;
    }
  }
  const erased = erasures.some(
    (erasure) =>
      at >= erasure.verifiedAt &&
      (record.subjects ?? []).some((subject) => erasure.subjects.indexOf(subject) >= 0) &&
      !erasure.exceptions.some(({ category }) => category === record.category),
  );
  return (erased && action === 'delete') || ceilingPassed;
}

interface Said {
  /** Absent where no rule names one. */
  readonly clock: ClockBasis | undefined;
  readonly action: RetentionAction;
  readonly floor: Period | null;
  readonly ceiling: Period | null;
}

/** What each place says that the record may be in. */
function situationsOf(
  record: RetainedRecord,
  { policy, jurisdictions, home }: RulesInForce,
): readonly (readonly Said[])[] {
  const all = policy.rules.filter((rule) => rule.category === record.category);
  const clock = all[0]?.clock;
  const action = endsIn(policy.rules, record.category);
  const inPlace = (place: string): readonly Said[] =>
    all.filter(({ jurisdiction: j }) => {
      const [country, wanted] = [place.split('-')[0], j.split('-')[0]];
      if (place === '*' || j === '*') return true;
      return country === wanted && (place === j || !place.includes('-') || !j.includes('-'));
    });
  const own = policy.rooftops.filter((t) => t.category === record.category).map((t) => ({ ...t, clock, action }));
  if (record.rooftops === null) return [[...inPlace(home), ...own]];
  if (record.rooftops.length === 0) return [inPlace(home)];
  return record.rooftops.map((id) => {
    const place = jurisdictions.get(id);
    return place === undefined ? inPlace(home) : [...inPlace(place), ...own.filter((t) => t.rooftopId === id)];
  });
}

function matches(hold: HoldInForce, record: RetainedRecord): boolean {
  const created = record.clocks.created;
  if (hold.categories && !new Set<string>(hold.categories).has(record.category)) return false;
  if (hold.recordIds && !new Set(hold.recordIds).has(record.recordId)) return false;
  if (
    hold.rooftopIds &&
    record.rooftops &&
    new Set([...hold.rooftopIds, ...record.rooftops]).size ===
      new Set(hold.rooftopIds).size + new Set(record.rooftops).size
  )
    return false;
  if (
    hold.subjects &&
    record.subjects &&
    new Set([...hold.subjects, ...record.subjects]).size === new Set(hold.subjects).size + new Set(record.subjects).size
  )
    return false;
  if (typeof created !== 'number') return true;
  return !(hold.from !== null && created < hold.from) && !(hold.until !== null && created >= hold.until);
}

/** Whether so many whole months, and then so many hours, lie between two moments. */
function hasPassed(from: number, to: number, { count, unit, plusDays }: Period): boolean {
  const months = unit === 'years' ? 12 * count : unit === 'months' ? count : 0;
  const hours = (unit === 'days' ? 24 * count : unit === 'hours' ? count : 0) + 24 * (plusDays ?? 0);
  return wholeMonths(from, to - hours * 3_600_000) >= months;
}

function wholeMonths(from: number, to: number): number {
  if (to < from) return -1;
  const [a, b] = [new Date(from).toISOString(), new Date(to).toISOString()];
  const months = (Number(b.slice(0, 4)) - Number(a.slice(0, 4))) * 12 + Number(b.slice(5, 7)) - Number(a.slice(5, 7));
  return b.slice(8) < a.slice(8) ? months - 1 : months;
}
