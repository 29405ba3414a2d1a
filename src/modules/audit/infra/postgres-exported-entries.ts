import type pg from 'pg';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { AuditFilter } from '../app/audit-search.js';
import type { ExportedEntries, ExportedEntry, HeldEntry } from '../app/exports/exported-entries.js';

interface EntryRow {
  readonly seq: number;
  readonly leafHash: Buffer;
  readonly wanted: boolean | null;
  readonly canon: Buffer | null;
  readonly recordedAt: string;
  readonly actor: string | null;
  readonly client: string | null;
  readonly nonce: Buffer | null;
}

const CONDITION = 'SELECT audit_condition($1) AS text';
const STRETCH = `SELECT min(seq)::float8 AS "from", (max(seq) + 1)::float8 AS "to" FROM audit_entries WHERE seq >= audit_min_index()`;
const PERIOD = `recorded_at >= coalesce($1::timestamptz, '-infinity') AND recorded_at < coalesce($2::timestamptz, 'infinity')`;

const heldWhere = (
  condition: string,
): string => `SELECT seq::float8 AS seq, path, leaf AS "leafHash", canon, nonce, actor, client,
    to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "recordedAt"
  FROM hold_vault WHERE seq >= $1 AND seq < $2 AND (${condition}) ORDER BY seq LIMIT $3`;

/** @param condition written by the database, which quotes what is in it */
const entriesWhere = (
  condition: string,
): string => `SELECT k.seq::float8 AS seq, k.leaf_hash AS "leafHash", e.wanted, e.canon, e.nonce,
    e.actor, e.client, to_char(k.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "recordedAt"
  FROM audit_entries k LEFT JOIN LATERAL (
    SELECT w.wanted, CASE WHEN w.wanted THEN canon END AS canon, nonce, actor, client
    FROM audit_events, LATERAL (SELECT coalesce(${condition}, false) AS wanted) AS w
    WHERE recorded_at = k.recorded_at AND event_id = k.event_id) AS e ON true
  WHERE k.seq >= $1 AND k.seq < $2 ORDER BY k.seq LIMIT $3`;

/** Reads the log with its records under the organization's own rights. */
export class PostgresExportedEntries implements ExportedEntries {
  constructor(private readonly pool: pg.Pool) {}

  stretch(
    organizationId: string,
    { from, to }: { readonly from?: string; readonly to?: string },
  ): Promise<{ from: number; to: number } | undefined> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      // Without a period the ends of the primary key are read, and not all of it.
      const [text, values] =
        from === undefined && to === undefined
          ? [STRETCH, []]
          : [`${STRETCH} AND ${PERIOD}`, [from ?? null, to ?? null]];
      const { rows } = await client.query<{ from: number | null; to: number | null }>(text, values);
      const [found] = rows;
      return found?.from == null || found.to == null ? undefined : { from: found.from, to: found.to };
    });
  }

  minIndex(organizationId: string): Promise<number> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const { rows } = await client.query<{ index: number }>('SELECT audit_min_index()::float8 AS index');
      return rows[0]?.index ?? 0;
    });
  }

  countHeld(organizationId: string, filter: AuditFilter): Promise<number> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const text = `SELECT count(*)::float8 AS held FROM hold_vault WHERE ${await conditionOf(client, filter)}`;
      const { rows } = await client.query<{ held: number }>(text);
      return rows[0]?.held ?? 0;
    });
  }

  held(
    organizationId: string,
    filter: AuditFilter,
    { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
  ): Promise<readonly HeldEntry[]> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const text = heldWhere(await conditionOf(client, filter));
      return (await client.query<HeldEntry>(text, [from, to, limit])).rows;
    });
  }

  read(
    organizationId: string,
    filter: AuditFilter,
    { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
  ): Promise<readonly ExportedEntry[]> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const text = entriesWhere(await conditionOf(client, filter));
      const { rows } = await client.query<EntryRow>(text, [from, to, limit]);
      return rows.map(entryOf);
    });
  }
}

async function conditionOf(client: pg.PoolClient, filter: AuditFilter): Promise<string> {
  const { rows } = await client.query<{ text: string }>(CONDITION, [filter]);
  return rows[0]?.text ?? 'false';
}

function entryOf({ seq, leafHash, wanted, canon, nonce, actor, client, recordedAt }: EntryRow): ExportedEntry {
  if (wanted === null) return { seq, leafHash, record: 'gone' };
  if (!wanted || canon === null) return { seq, leafHash, record: 'left out' };
  return { seq, leafHash, record: { seq, leafHash, canon, recordedAt, actor, client, nonce } };
}
