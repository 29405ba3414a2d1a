import type { SubjectNames, SubjectRecord } from '../../../kernel/ports/subject-data.js';
import {
  decide,
  isDue,
  type RetentionDecision,
  type RulesInForce,
  type VerifiedErasure,
} from '../../retention/index.js';
import type { Verdict } from '../domain/place-tally.js';

/** An erasure as records are decided about. */
export interface ErasureAsked {
  readonly requestId: string;
  /** Milliseconds. */
  readonly verifiedAt: number;
  readonly names: SubjectNames;
}

/**
 * What becomes of one record: the one decision about records (decision record 0044), told that the request asks for it. Preview
 * and run ask here alike.
 * @param now milliseconds
 */
export function decideErasure(
  record: SubjectRecord,
  rules: RulesInForce | undefined,
  { requestId, verifiedAt, names }: ErasureAsked,
  now: number,
): Verdict {
  if (record.keeps !== null) return { goes: false, why: 'proof', grounds: [record.keeps], until: null };
  const subjects = Object.values(names).flat();
  const erasure: VerifiedErasure = { requestId, verifiedAt, subjects, exceptions: [] };
  // Which holds cover it was said by the database, where coverage is defined (migration 19).
  const holds = record.holds.map((hold) => ({ ...hold, ...ANY, releasedAt: null }));
  const decision = decide({ ...record, subjects }, rules, holds, [erasure], { now, approvedAt: null });
  return isDue(decision, now) ? { goes: true } : keptBy(decision);
}

const ANY = { categories: null, recordIds: null, rooftopIds: null, subjects: null, from: null, until: null } as const;

function keptBy({ because }: RetentionDecision): Verdict {
  const holds = because.flatMap((reason) => (reason.kind === 'hold' ? [reason.holdId] : []));
  if (holds.length > 0) return { goes: false, why: 'hold', grounds: holds, until: null };
  const [first] = because;
  if (first.kind === 'floor') return { goes: false, why: 'floor', grounds: [first.ruleId], until: first.until };
  if (first.kind === 'erasure_exception')
    return { goes: false, why: 'exception', grounds: [first.ground], until: null };
  return { goes: false, why: 'no_policy', grounds: [], until: null };
}
