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
  ReceiptFilter,
  ReceiptLine,
  ReceiptPage,
} from '../app/audit-search.js';
import { countReceipts, type CountPiece } from '../app/count-receipts.js';
import { summaryOf, type StoredSummary } from './stored-summary.js';

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
const SUM_UP = 'SELECT sum_up_audit($1, $2, $3, $4, $5) AS summed';

/**
 * Searches the trail by functions of the database that ask for the tenant themselves (decision record 0042): under row-level
 * security no index of rooftops or resources could be used.
 */
export class PostgresAuditSearch implements AuditSearch {
  /** @param longestMs after which a question is given up, and its caller told to ask about less */
  constructor(
    private readonly pool: pg.Pool,
    private readonly longestMs: number = LIMITS.auditSearchMs.value,
    /** How many records one answer counts. */
    private readonly mostCounted: number = LIMITS.auditSumRecords.value,
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
    filter: ReceiptFilter,
    page: { readonly after?: Omit<ReceiptLine, 'calls'>; readonly limit: number },
  ): Promise<ReceiptPage> {
    return this.reading(organizationId, async (client) => {
      const count: CountPiece = async (piece, { after, limit }) => {
        const place = [after?.day ?? null, after?.operation ?? null, after?.outcome ?? null];
        const { rows } = await client.query<ReceiptLine>(RECEIPTS, [piece, ...place, limit]);
        return rows;
      };
      return countReceipts(count, filter, page, this.mostCounted);
    });
  }

  async sumUp(
    organizationId: string,
    filter: AuditFilter,
    { after, most }: { readonly after?: AuditPosition; readonly most: number },
  ): Promise<AuditSummary> {
    const values = [filter, after?.recordedAt ?? null, after?.eventId ?? null, this.mostCounted, most];
    const [row] = await this.read<{ summed: StoredSummary }>(organizationId, SUM_UP, values);
    if (row === undefined) throw new Error('a function answers with one row');
    return summaryOf(row.summed);
  }

  private read<T extends pg.QueryResultRow>(organizationId: string, text: string, values: unknown[]): Promise<T[]> {
    return this.reading(organizationId, async (client) => (await client.query<T>(text, values)).rows);
  }

  private reading<T>(organizationId: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      await client.query(`SET LOCAL statement_timeout = ${this.longestMs}`);
      return work(client).catch(explainEnd);
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
