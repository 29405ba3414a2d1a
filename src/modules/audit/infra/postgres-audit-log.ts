import type pg from 'pg';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { AuditLogStore, DueLog, SignedCheckpoint, OpenLog } from '../app/audit-log-store.js';
import type { FullTile } from '../domain/log/tiles.js';
import { readHashes } from './stored-hashes.js';

const ADD_TILES = `INSERT INTO audit_tiles (organization_id, tile_level, tile_index, hashes)
  SELECT current_tenant(), * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[]) ON CONFLICT DO NOTHING`;
const RECORD = `SELECT e.canon, k.seq::float8 AS seq FROM audit_events e
  LEFT JOIN audit_entries k ON k.recorded_at = e.recorded_at AND k.event_id = e.event_id WHERE e.organization_id = current_tenant() AND e.event_id = $1`;
const VAULTED = `SELECT canon, seq::float8 AS seq, path FROM hold_vault WHERE organization_id = current_tenant() AND event_id = $1`;
const ADD_CHECKPOINT = `INSERT INTO audit_checkpoints (organization_id, size, root, note) VALUES (current_tenant(), $1, $2, $3)`;

/** The audit log in PostgreSQL: numbering happens in the database, hashing here. */
export class PostgresAuditLog implements AuditLogStore {
  constructor(private readonly pool: pg.Pool) {}

  async sequence(limit: number): Promise<number | 'busy'> {
    const { rows } = await this.pool.query<{ numbered: number }>('SELECT sequence_audit($1)::float8 AS numbered', [
      limit,
    ]);
    const numbered = rows[0]?.numbered ?? 0;
    return numbered < 0 ? 'busy' : numbered;
  }

  async due(heartbeatMs: number): Promise<readonly DueLog[]> {
    const { rows } = await this.pool.query<DueLog>(
      `SELECT organization_id AS "organizationId", size::float8 AS size FROM audit_logs_due(make_interval(secs => $1))`,
      [heartbeatMs / 1000],
    );
    return rows;
  }

  withLog<T>(organizationId: string, work: (log: OpenLog) => Promise<T>): Promise<T> {
    return withTenantSql(this.pool, organizationId, 'read write', (client) => work(new PostgresOpenLog(client)));
  }
}

class PostgresOpenLog implements OpenLog {
  constructor(private readonly client: pg.PoolClient) {}

  async checkpointedSize(): Promise<number> {
    const { rows } = await this.client.query<{ size: number | null }>(
      'SELECT max(size)::float8 AS size FROM audit_checkpoints',
    );
    return rows[0]?.size ?? 0;
  }

  hashes(tileLevel: number, start: number, count: number): Promise<Buffer> {
    return readHashes(this.client, tileLevel, start, count);
  }

  async journalMark(): Promise<string | undefined> {
    const { rows } = await this.client.query<{ mark: string | null }>('SELECT restore_journal_mark() AS mark');
    return rows[0]?.mark ?? undefined;
  }

  async newestCheckpoint(): Promise<SignedCheckpoint | undefined> {
    const { rows } = await this.client.query<SignedCheckpoint>(
      'SELECT size::float8 AS size, root, note FROM audit_checkpoints ORDER BY size DESC, signed_at DESC LIMIT 1',
    );
    return rows[0];
  }

  async checkpointOf(size: number): Promise<SignedCheckpoint | undefined> {
    const { rows } = await this.client.query<SignedCheckpoint>(
      'SELECT size::float8 AS size, root, note FROM audit_checkpoints WHERE size = $1 ORDER BY signed_at DESC LIMIT 1',
      [size],
    );
    return rows[0];
  }

  async findRecord(eventId: string): Promise<{ canon: string; seq?: number; path?: Buffer } | undefined> {
    const { rows } = await this.client.query<{ canon: Buffer; seq: number | null }>(RECORD, [eventId]);
    const [found] = rows;
    if (found === undefined) return this.findVaulted(eventId);
    const canon = found.canon.toString('utf8');
    return found.seq === null ? { canon } : { canon, seq: found.seq };
  }

  private async findVaulted(eventId: string): Promise<{ canon: string; seq: number; path: Buffer } | undefined> {
    const { rows } = await this.client.query<{ canon: Buffer; seq: number; path: Buffer }>(VAULTED, [eventId]);
    const [found] = rows;
    return found === undefined ? undefined : { ...found, canon: found.canon.toString('utf8') };
  }

  async addTiles(tiles: readonly FullTile[]): Promise<void> {
    if (tiles.length === 0) return;
    await this.client.query(ADD_TILES, [
      tiles.map((t) => t.level),
      tiles.map((t) => t.index),
      tiles.map((t) => t.hashes),
    ]);
  }

  async addCheckpoint({ size, root, note }: SignedCheckpoint): Promise<void> {
    await this.client.query(ADD_CHECKPOINT, [size, root, note]);
  }
}
