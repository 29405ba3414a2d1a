import { FAILURES, type FailureCode } from '../../../kernel/failure/registry.js';
import { PAGE_DEFAULT, pageOf } from '../../../platform/http/page-query.js';
import type { AuditSummary, FoundRecord, ReceiptLine, ReceiptPage, Tally } from '../app/audit-search.js';
import type { RecordProof } from '../app/prove-record.js';
import { positionOf, type ReceiptsQuery, type SumQuery } from './audit-search.dto.js';

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

/**
 * A sum, and which part of the question it answers: `covers.from` is null where nothing older was left out, `covers.to` where
 * nothing newer was. Records of the very instant between two answers may be in either; none is in both.
 */
export function summaryView({ from, to, after }: SumQuery, summary: AuditSummary): object {
  const { next } = summary;
  const before = after === undefined ? to : positionOf(after).recordedAt;
  return {
    covers: { from: next?.recordedAt ?? from ?? null, to: before ?? null },
    next_after: next === null ? null : `${next.recordedAt}~${next.eventId}`,
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

/** Lines, and where the next ones begin: every day before `counted_to` is counted to its end. */
export function receiptsView(query: ReceiptsQuery, { lines, countedTo }: ReceiptPage): object {
  const { to, limit = PAGE_DEFAULT } = query;
  const placeOf = (line: ReceiptLine): string => `${line.day}~${line.operation}~${line.outcome}`;
  const page = pageOf('lines', query, lines, (line) => ({ ...line }), placeOf);
  if (countedTo !== undefined) return { ...page, counted_to: countedTo, next_after: `${countedTo.slice(0, 10)}~~` };
  const lastDay = lines.length > limit ? lines[limit - 1]?.day : undefined;
  return { ...page, counted_to: lastDay === undefined ? to : `${lastDay}T00:00:00.000Z` };
}

export function proofView(proof: RecordProof): object {
  const { eventId, seq, canon, inclusionPath, checkpoint } = proof;
  return { event_id: eventId, seq, canon, inclusion_path: inclusionPath, checkpoint };
}
