import { csvLine } from './csv-line.js';
import { contentOf, type ExportedRecord } from './exported-record.js';

const COLUMNS = [
  'seq',
  'event_id',
  'recorded_at',
  'occurred_at',
  'trace_id',
  'surface',
  'operation',
  'profile',
  'actor_kind',
  'actor',
  'client',
  'rooftop_ids',
  'resource_ids',
  'decision',
  'reason',
  'policy_version',
  'outcome',
  'failure_code',
  'purpose',
  'before_hash',
  'after_hash',
  'leaf',
] as const;

export const CSV_HEADER = csvLine(COLUMNS);

/** Lists are written with a space between their ids, which ids never have. */
export function csvRecord(record: ExportedRecord): string {
  const { seq, recordedAt, actor, client, leafHash } = record;
  const said = contentOf(record);
  return csvLine([
    seq,
    said.eventId,
    recordedAt,
    said.occurredAt,
    said.traceId,
    said.surface,
    said.operation,
    said.profile,
    said.actorKind,
    actor,
    client,
    said.rooftopIds.join(' '),
    said.resourceIds.join(' '),
    said.decision,
    said.reason,
    said.policyVersion,
    said.outcome,
    said.failureCode,
    said.purpose,
    said.beforeHash,
    said.afterHash,
    leafHash.toString('base64'),
  ]);
}
