import { rfc3339 } from '../../../kernel/time.js';
import type { ExplainedAction, ExplainedRecord } from '../app/explain-record.js';
import type { RetentionReason } from '../domain/decide.js';

/** Why a record stays or goes, the reason that decides first. */
export function explanationView({ stored, decision, due, steps, rules, named }: ExplainedRecord): object {
  const { record, table } = stored;
  return {
    category: record.category,
    record_id: record.recordId,
    table,
    clocks: Object.fromEntries(Object.entries(record.clocks).map(([clock, at]) => [clock, timeOf(at)])),
    rooftop_ids: record.rooftops,
    places: Object.fromEntries((record.rooftops ?? []).map((id) => [id, rules?.jurisdictions.get(id) ?? null])),
    in_use: record.inUse === true,
    policy: rules === undefined ? null : policyView(rules.policy),
    action: decision.action,
    at: timeOf(decision.at),
    due,
    because: decision.because.map(reasonView),
    steps: steps.map(stepView),
    rules: named.map(({ ruleId: rule_id, ...rule }) => ({ rule_id, ...rule })),
  };
}

const stepView = ({ action, decision, due }: ExplainedAction): object => ({
  step: action,
  action: decision.action,
  at: timeOf(decision.at),
  due,
  because: decision.because.map(reasonView),
});

const policyView = ({
  policyId,
  version,
  contentHash,
}: {
  readonly policyId: string;
  readonly version: number;
  readonly contentHash: string;
}): object => ({ policy_id: policyId, version, content_hash: contentHash });

function reasonView(reason: RetentionReason, index: number): object {
  return { decides: index === 0, ...membersOf(reason) };
}

function membersOf(reason: RetentionReason): object {
  const { kind } = reason;
  switch (reason.kind) {
    case 'hold':
      return { kind, hold_id: reason.holdId, counting: reason.counting, free_from: timeOf(reason.freeFrom) };
    case 'floor':
      return { kind, rule_id: reason.ruleId, rooftop_id: reason.rooftopId, until: timeOf(reason.until) };
    case 'ceiling':
      return { kind, rule_id: reason.ruleId, rooftop_id: reason.rooftopId, at: timeOf(reason.at) };
    case 'erasure':
      return { kind, request_id: reason.requestId, from: timeOf(reason.from) };
    case 'erasure_exception':
      return { kind, request_id: reason.requestId, ground: reason.ground };
    default:
      return { kind };
  }
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));
