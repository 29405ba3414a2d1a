import { Failure } from '../../../kernel/failure/failure.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { Clock } from '../../../kernel/time.js';
import { decide, isDue, type RetentionDecision } from '../domain/decide.js';
import { termsOf } from '../domain/limits-of.js';
import type { RetentionRule, RulesInForce } from '../domain/retention-policy.js';
import type { RetainedRecordReader, StoredRecord } from './retained-record-reader.js';
import type { RetentionRules } from './retention-rules.js';
import type { VerifiedErasures } from './verified-erasures.js';

export interface ExplainParts {
  readonly unitOfWork: UnitOfWork;
  readonly records: RetainedRecordReader;
  readonly rules: RetentionRules;
  readonly erasures: VerifiedErasures | undefined;
  readonly clock: Clock;
}

/** What is decided about one action. */
export interface ExplainedAction {
  /** Which: the decision itself may be to keep the record. */
  readonly action: RetentionAction;
  readonly decision: RetentionDecision;
  readonly due: boolean;
}

export interface ExplainedRecord {
  readonly stored: StoredRecord;
  readonly decision: RetentionDecision;
  readonly due: boolean;
  /** What the policy does to the record before its end. */
  readonly steps: readonly ExplainedAction[];
  /** Undefined while no policy is active. */
  readonly rules: RulesInForce | undefined;
  /** Rules that a reason names. */
  readonly named: readonly RetentionRule[];
}

/** Use case: why one record stays or goes, and when. The same decision as previews and runs. */
export class ExplainRecord {
  constructor(private readonly parts: ExplainParts) {}

  /** @throws Failure `resource.not_found` */
  run(organizationId: string, category: RetentionCategory, recordId: string): Promise<ExplainedRecord> {
    const { unitOfWork, records, rules: inForce, erasures, clock } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const stored = await records.find(tx, category, recordId);
      if (stored?.isRecord !== true) throw new Failure('resource.not_found', { reason: 'not_found' });
      const { record, holds } = stored;
      const rules = await inForce.inForce(tx);
      const asked = (await erasures?.naming(tx, record.subjects ?? [])) ?? [];
      const now = clock.now();
      const terms = rules === undefined ? undefined : termsOf(rules, record.category);
      const explained = (action: RetentionAction): ExplainedAction => {
        const decision = decide(record, rules, holds, asked, { now, approvedAt: null }, action);
        return { action, decision, due: isDue(decision, now) };
      };
      const [end, ...steps] = [explained(terms?.end ?? 'delete'), ...(terms?.steps ?? []).map(explained)] as const;
      const { decision, due } = end;
      return { stored, decision, due, steps, rules, named: namedBy([end, ...steps], rules) };
    });
  }
}

function namedBy(explained: readonly ExplainedAction[], rules: RulesInForce | undefined): readonly RetentionRule[] {
  const reasons = explained.flatMap(({ decision }) => decision.because);
  const ids = new Set(reasons.flatMap((reason) => ('ruleId' in reason ? [reason.ruleId] : [])));
  return rules?.policy.rules.filter(({ ruleId }) => ids.has(ruleId)) ?? [];
}
