import type pg from 'pg';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { AuditFilter, AuditPosition, AuditSearch, FoundRecord, ReceiptLine } from '../app/audit-search.js';

const utc = (column: string, digits: 'MS' | 'US'): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${digits}"Z"')`;

const COLUMNS = `event_id AS "eventId", ${utc('recorded_at', 'US')} AS "recordedAt", ${utc('occurred_at', 'MS')} AS "occurredAt",
  trace_id AS "traceId", surface, operation, profile, actor_kind AS "actorKind", actor, client, rooftop_ids AS "rooftopIds",
  resource_ids AS "resourceIds", decision, reason, policy_version AS "policyVersion", outcome, failure_code AS "failureCode", purpose,
  before_hash AS "beforeHash", after_hash AS "afterHash"`;

/** How each condition is written; `?` stands for the place of its value. The planner sees the ones that are asked. */
const CONDITIONS: Readonly<Record<keyof AuditFilter, string>> = {
  from: 'recorded_at >= ?::timestamptz',
  to: 'recorded_at < ?::timestamptz',
  eventId: 'event_id = ?',
  traceId: 'trace_id = ?',
  actor: 'actor = ?',
  operation: 'operation = ?',
  rooftopId: 'rooftop_ids @> ARRAY[?::text]',
  decision: 'decision = ?',
  outcome: 'outcome = ?',
  policyVersion: 'policy_version = ?',
};

const RECEIPTS = `SELECT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, operation, outcome, count(*)::float8 AS calls
  FROM audit_events WHERE organization_id = current_tenant() AND recorded_at >= $2::timestamptz AND recorded_at < $3::timestamptz
    AND rooftop_ids @> ARRAY[$1::text] AND surface IN ('mcp', 'a2a')
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;

/** Searches the trail under the organization's own rights. */
export class PostgresAuditSearch implements AuditSearch {
  constructor(private readonly pool: pg.Pool) {}

  find(
    organizationId: string,
    filter: AuditFilter,
    page: { readonly after?: AuditPosition; readonly limit: number },
  ): Promise<readonly FoundRecord[]> {
    const values: unknown[] = [];
    const place = (value: unknown): string => `$${values.push(value)}`;
    const wanted = Object.entries(filter) as [keyof AuditFilter, string][];
    const conditions = wanted.map(([name, value]) => CONDITIONS[name].replace('?', place(value)));
    if (page.after !== undefined)
      conditions.push(
        `(recorded_at, event_id) < (${place(page.after.recordedAt)}::timestamptz, ${place(page.after.eventId)})`,
      );
    const where = ['organization_id = current_tenant()', ...conditions].join(' AND ');
    const text = `SELECT ${COLUMNS} FROM audit_events WHERE ${where} ORDER BY recorded_at DESC, event_id DESC LIMIT ${place(page.limit)}`;
    return this.read(organizationId, text, values);
  }

  receipts(organizationId: string, rooftopId: string, from: string, to: string): Promise<readonly ReceiptLine[]> {
    return this.read(organizationId, RECEIPTS, [rooftopId, from, to]);
  }

  private read<T extends pg.QueryResultRow>(organizationId: string, text: string, values: unknown[]): Promise<T[]> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const { rows } = await client.query<T>(text, values);
      return rows;
    });
  }
}
