import type pg from 'pg';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { AuditLogReader, LogEntry, StoredRow } from '../app/audit-log-reader.js';
import { TILE_WIDTH } from '../domain/log/tiles.js';

interface EntryRow extends Omit<StoredRow, 'columns' | 'canon'> {
  readonly seq: number;
  readonly leafHash: Buffer;
  readonly canon: Buffer | null;
  readonly columns: StoredRow['columns'];
}

// to_char and not JavaScript's Date: the text must be the one that was hashed.
const ENTRIES = `SELECT k.seq::float8 AS seq, k.leaf_hash AS "leafHash", e.canon, e.nonce, e.actor, e.client,
    json_build_object('eventId', e.event_id, 'occurredAt', to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'organizationId', e.organization_id, 'traceId', e.trace_id, 'surface', e.surface, 'operation', e.operation, 'profile', e.profile,
      'actorKind', e.actor_kind, 'rooftopIds', e.rooftop_ids, 'resourceIds', e.resource_ids, 'decision', e.decision, 'reason', e.reason,
      'policyVersion', e.policy_version, 'outcome', e.outcome, 'failureCode', e.failure_code, 'purpose', e.purpose,
      'beforeHash', e.before_hash, 'afterHash', e.after_hash) AS columns
  FROM audit_entries k LEFT JOIN audit_events e ON e.recorded_at = k.recorded_at AND e.event_id = k.event_id
  WHERE k.seq >= $1 ORDER BY k.seq LIMIT $2`;
const ROWS = `SELECT min(seq)::float8 AS "from", (max(seq) + 1)::float8 AS "to" FROM audit_entries WHERE recorded_at >= $1::timestamptz AND recorded_at < $2::timestamptz`;
const LEAF_TILES = `SELECT tile_index::float8 AS index, hashes FROM audit_tiles WHERE tile_level = 0 AND tile_index >= $1 AND tile_index <= $2`;
const CHECKPOINTS = `SELECT size::float8 AS size, note FROM audit_checkpoints ORDER BY size, signed_at`;
const UNNUMBERED = `SELECT e.event_id FROM audit_events e, audit_horizon h WHERE e.xid < h.pos
  AND NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id) LIMIT 100`;

/** Reads the trail as it stands, under the organization's own rights. */
export class PostgresAuditLogReader implements AuditLogReader {
  constructor(private readonly pool: pg.Pool) {}

  async entries(organizationId: string, seq: number, limit: number): Promise<readonly LogEntry[]> {
    const rows = await this.read<EntryRow>(organizationId, ENTRIES, [seq, limit]);
    return rows.map(({ canon, nonce, actor, client, columns, ...entry }) => ({
      ...entry,
      row: canon === null ? null : { canon, nonce, actor, client, columns },
    }));
  }

  async rowsOf(organizationId: string, from: string, to: string): Promise<{ from: number; to: number } | undefined> {
    const [found] = await this.read<{ from: number | null; to: number }>(organizationId, ROWS, [from, to]);
    return found === undefined || found.from === null ? undefined : { from: found.from, to: found.to };
  }

  async leafTiles(organizationId: string, from: number, to: number): Promise<ReadonlyMap<number, Buffer>> {
    const range = [Math.floor(from / TILE_WIDTH), Math.floor(to / TILE_WIDTH)];
    const rows = await this.read<{ index: number; hashes: Buffer }>(organizationId, LEAF_TILES, range);
    return new Map(rows.map((row) => [row.index, row.hashes]));
  }

  checkpoints(organizationId: string): Promise<readonly { size: number; note: string }[]> {
    return this.read(organizationId, CHECKPOINTS, []);
  }

  async unnumbered(organizationId: string): Promise<readonly string[]> {
    const rows = await this.read<{ event_id: string }>(organizationId, UNNUMBERED, []);
    return rows.map((row) => row.event_id);
  }

  private read<T extends pg.QueryResultRow>(organizationId: string, text: string, values: unknown[]): Promise<T[]> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const { rows } = await client.query<T>(text, values);
      return rows;
    });
  }
}
