import { FAILURES, type FailureCode } from '../../../kernel/failure/registry.js';
import type { AuditSummary, FoundRecord, ReceiptLine, Tally } from '../app/audit-search.js';
import type { RecordProof } from '../app/prove-record.js';

/** What every reader of the trail may see of a record: what was done, not by whom or to which unit. */
export function metadataView(record: FoundRecord): object {
  return {
    event_id: record.eventId,
    recorded_at: record.recordedAt,
    occurred_at: record.occurredAt,
    trace_id: record.traceId,
    surface: record.surface,
    operation: record.operation,
    profile: record.profile,
    actor_kind: record.actorKind,
    rooftop_ids: record.rooftopIds,
    decision: record.decision,
    policy_version: record.policyVersion,
    outcome: record.outcome,
    failure_code: record.failureCode,
    before_hash: record.beforeHash,
    after_hash: record.afterHash,
  };
}

/** What auditors see beside it. */
export function bodyView(record: FoundRecord): object {
  const { actor, client, reason, purpose } = record;
  return { ...metadataView(record), actor, client, resource_ids: record.resourceIds, reason, purpose };
}

/** What support may tell a caller who named a trace id: nothing of who called, and nothing of what was reached. */
export function supportView(record: FoundRecord): object {
  return {
    occurred_at: record.occurredAt,
    operation: record.operation,
    outcome: record.outcome,
    failure_code: record.failureCode,
    message: messageOf(record.failureCode),
  };
}

/** The wording that is safe to show anyone; null where nothing failed. */
const messageOf = (code: string | null): string | null =>
  code !== null && code in FAILURES ? FAILURES[code as FailureCode].message : null;

export function summaryView(summary: AuditSummary): object {
  return {
    records: summary.records,
    first_at: summary.first,
    last_at: summary.last,
    callers_total: summary.callersTotal,
    callers: summary.callers.map(({ actorKind, ...caller }) => ({ actor_kind: actorKind, ...tallied(caller) })),
    operations: summary.operations.map(tallied),
    rooftops_total: summary.rooftopsTotal,
    rooftops: summary.rooftops.map(({ id, ...tally }) => ({ rooftop_id: id, ...tallied(tally) })),
    resources_total: summary.resourcesTotal,
    resources: summary.resources.map(({ id, ...tally }) => ({ resource_id: id, ...tallied(tally) })),
  };
}

function tallied({ first, last, ...rest }: Omit<Tally, 'records'>): object {
  return { ...rest, first_at: first, last_at: last };
}

export const receiptView = (line: ReceiptLine): object => ({ ...line });

export function proofView(proof: RecordProof): object {
  const { eventId, seq, canon, inclusionPath, checkpoint } = proof;
  return { event_id: eventId, seq, canon, inclusion_path: inclusionPath, checkpoint };
}
