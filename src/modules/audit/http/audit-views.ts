import type { FoundRecord, ReceiptLine } from '../app/audit-search.js';
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

export const receiptView = (line: ReceiptLine): object => ({ ...line });

export function proofView(proof: RecordProof): object {
  const { eventId, seq, canon, inclusionPath, checkpoint } = proof;
  return { event_id: eventId, seq, canon, inclusion_path: inclusionPath, checkpoint };
}
