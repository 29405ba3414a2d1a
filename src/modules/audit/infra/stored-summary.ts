import type { AuditSummary, Tally } from '../app/audit-search.js';

/** Numbers and instants as `jsonb_build_object` writes them. */
interface StoredTally {
  readonly records: number;
  readonly first: string;
  readonly last: string;
}
/** What `sum_up_audit` answers. */
export interface StoredSummary {
  readonly records: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly next_at: string | null;
  readonly next_event: string | null;
  readonly callers_total: number;
  readonly callers: (StoredTally & { actor_kind: string; actor: string | null; client: string | null })[] | null;
  readonly operations: (StoredTally & { operation: string; outcome: string })[] | null;
  readonly rooftops_total: number;
  readonly rooftops: (StoredTally & { id: string })[] | null;
  readonly resources_total: number;
  readonly resources: (StoredTally & { id: string })[] | null;
}

/** The answer of `sum_up_audit` in the words of the port. */
export function summaryOf(summed: StoredSummary): AuditSummary {
  const { next_at: nextAt, next_event: nextEvent } = summed;
  return {
    records: summed.records,
    next: nextAt === null || nextEvent === null ? null : { recordedAt: instantOf(nextAt), eventId: nextEvent },
    first: instantOrNull(summed.first),
    last: instantOrNull(summed.last),
    callersTotal: summed.callers_total,
    callers: (summed.callers ?? []).map(({ actor_kind: actorKind, actor, client, ...tally }) => ({
      ...tallyOf(tally),
      actorKind,
      actor,
      client,
    })),
    operations: (summed.operations ?? []).map((o) => ({ ...tallyOf(o), operation: o.operation, outcome: o.outcome })),
    rooftopsTotal: summed.rooftops_total,
    rooftops: (summed.rooftops ?? []).map((r) => ({ ...tallyOf(r), id: r.id })),
    resourcesTotal: summed.resources_total,
    resources: (summed.resources ?? []).map((r) => ({ ...tallyOf(r), id: r.id })),
  };
}

const tallyOf = ({ records, first, last }: StoredTally): Tally => ({
  records,
  first: instantOf(first),
  last: instantOf(last),
});

/** JSON of the database has the offset of its session; the answer is in UTC, to the microsecond. */
function instantOf(text: string): string {
  const micros = /\.(\d+)/.exec(text)?.[1] ?? '';
  return new Date(text.replace(/\.\d+/, '')).toISOString().replace('000Z', `${micros.padEnd(6, '0')}Z`);
}

const instantOrNull = (text: string | null): string | null => (text === null ? null : instantOf(text));
