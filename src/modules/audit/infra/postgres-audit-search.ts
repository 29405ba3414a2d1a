import type pg from 'pg';
import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import { sqlStateOf } from '../../../platform/database/sql-state.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type {
  AuditFilter,
  AuditPosition,
  AuditSearch,
  AuditSummary,
  FoundRecord,
  ReceiptLine,
  Tally,
} from '../app/audit-search.js';

/** The time that a statement may take was over. */
const QUERY_CANCELED = '57014';

const utc = (column: string, digits: 'MS' | 'US'): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${digits}"Z"')`;

const COLUMNS = `event_id AS "eventId", ${utc('recorded_at', 'US')} AS "recordedAt", ${utc('occurred_at', 'MS')} AS "occurredAt",
  trace_id AS "traceId", surface, operation, profile, actor_kind AS "actorKind", actor, client, rooftop_ids AS "rooftopIds",
  resource_ids AS "resourceIds", decision, reason, policy_version AS "policyVersion", outcome, failure_code AS "failureCode", purpose,
  before_hash AS "beforeHash", after_hash AS "afterHash"`;
const FIND = `SELECT ${COLUMNS} FROM find_audit_events($1, $2, $3, $4)`;
const RECEIPTS = 'SELECT * FROM audit_receipts($1, $2, $3, $4, $5)';
const SUM_UP = 'SELECT sum_up_audit($1, $2) AS summed';

/** Numbers and instants as `jsonb_build_object` writes them. */
interface StoredTally {
  readonly records: number;
  readonly first: string;
  readonly last: string;
}
interface StoredSummary {
  readonly records: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly callers_total: number;
  readonly callers: (StoredTally & { actor_kind: string; actor: string | null; client: string | null })[] | null;
  readonly operations: (StoredTally & { operation: string; outcome: string })[] | null;
  readonly rooftops_total: number;
  readonly rooftops: (StoredTally & { id: string })[] | null;
  readonly resources_total: number;
  readonly resources: (StoredTally & { id: string })[] | null;
}

/**
 * Searches the trail by functions of the database that ask for the tenant themselves (decision record 0042): under row-level
 * security no index of rooftops or resources could be used.
 */
export class PostgresAuditSearch implements AuditSearch {
  /** @param longestMs after which a question is given up, and its caller told to ask about less */
  constructor(
    private readonly pool: pg.Pool,
    private readonly longestMs: number = LIMITS.auditSearchMs.value,
  ) {}

  find(
    organizationId: string,
    filter: AuditFilter,
    { after, limit }: { readonly after?: AuditPosition; readonly limit: number },
  ): Promise<readonly FoundRecord[]> {
    return this.read(organizationId, FIND, [filter, after?.recordedAt ?? null, after?.eventId ?? null, limit]);
  }

  receipts(
    organizationId: string,
    filter: Pick<AuditFilter, 'rooftopId' | 'from' | 'to'>,
    { after, limit }: { readonly after?: Omit<ReceiptLine, 'calls'>; readonly limit: number },
  ): Promise<readonly ReceiptLine[]> {
    const place = [after?.day ?? null, after?.operation ?? null, after?.outcome ?? null];
    return this.read(organizationId, RECEIPTS, [filter, ...place, limit]);
  }

  async sumUp(organizationId: string, filter: AuditFilter, most: number): Promise<AuditSummary> {
    const [row] = await this.read<{ summed: StoredSummary }>(organizationId, SUM_UP, [filter, most]);
    if (row === undefined) throw new Error('a function answers with one row');
    const { summed } = row;
    return {
      records: summed.records,
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

  private read<T extends pg.QueryResultRow>(organizationId: string, text: string, values: unknown[]): Promise<T[]> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      await client.query(`SET LOCAL statement_timeout = ${this.longestMs}`);
      const { rows } = await client.query<T>(text, values).catch(explainEnd);
      return rows;
    });
  }
}

/** @throws Failure `input.invalid` where the time was over; Error as it is for every other reason. */
function explainEnd(error: unknown): never {
  if (sqlStateOf(error) !== QUERY_CANCELED) throw error;
  const explanation = 'asks about more records than can be added up in time: name a shorter period';
  throw new Failure('input.invalid', {
    violations: [{ pointer: '/from', keyword: 'maximum', explanation }],
    cause: error,
  });
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
