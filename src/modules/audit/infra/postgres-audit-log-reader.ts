import type pg from 'pg';
import { copyOut } from '../../../platform/database/copy-out.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type {
  AuditLogReader,
  LogEntry,
  LogStretch,
  NumberedLeaf,
  SketchedEntry,
  StoredNote,
  StoredPruning,
  StoredRow,
  VaultedEntry,
} from '../app/audit-log-reader.js';
import { TILE_WIDTH } from '../domain/log/tiles.js';
import type { RedactedRecord } from '../domain/redaction.js';
import { VAULTED_OPERATION } from '../domain/vault.js';
import { CopiedRecords } from './copied-records.js';
import { copiedRecords, ENTRIES, ENTRY, LEAVES, VAULTED, VAULTED_ENTRY } from './entry-statements.js';
import { readHashes } from './stored-hashes.js';

interface EntryRow extends Omit<StoredRow, 'columns' | 'canon'> {
  readonly seq: number;
  readonly leafHash: Buffer;
  readonly canon: Buffer | null;
  readonly columns: StoredRow['columns'];
}

interface VaultRow extends EntryRow {
  readonly canon: Buffer;
  readonly path: Buffer;
  readonly vaultNumber: number;
}

const ROWS = `SELECT min(seq)::float8 AS "from", (max(seq) + 1)::float8 AS "to" FROM audit_entries WHERE recorded_at >= $1::timestamptz AND recorded_at < $2::timestamptz
  AND seq >= audit_min_index()`;
const TILES = `SELECT tile_index::float8 AS index, hashes FROM audit_tiles WHERE tile_level = 0 AND tile_index >= $1 AND tile_index <= $2`;
// A log that only stands still is signed again and again: the same note is checked once.
const NOTES = `SELECT size::float8 AS size, note FROM audit_checkpoints WHERE size >= $1 AND size <= $2 GROUP BY size, note ORDER BY size, min(signed_at)`;
const NEWEST = `SELECT size::float8 AS size, note FROM audit_checkpoints ORDER BY size DESC, signed_at DESC LIMIT 1`;
const COSIGNED = `SELECT note FROM audit_cosignatures ORDER BY size DESC, cosigned_at DESC LIMIT 20`;
const SIZE = `SELECT coalesce(max(seq) + 1, 0)::float8 AS size FROM audit_entries WHERE organization_id = current_tenant()`;
const PRUNING = `SELECT min_index::float8 AS "minIndex", size::float8 AS size, root, policy, run_id AS "runId", event_id AS "eventId"
  FROM audit_prunings p WHERE NOT EXISTS (SELECT FROM audit_events e, audit_horizon h WHERE e.recorded_at = p.pruned_at AND e.event_id = p.event_id AND e.xid >= h.pos)
  ORDER BY min_index DESC LIMIT 1`;
const VAULT_STATED = `SELECT e.resource_ids AS "resourceIds", e.after_hash AS "afterHash" FROM audit_events e
  WHERE e.organization_id = current_tenant() AND e.operation = '${VAULTED_OPERATION}' ORDER BY e.recorded_at DESC, e.event_id DESC LIMIT 1`;
const REDACTIONS = `SELECT event_id AS "eventId", redaction_id AS "redactionId" FROM audit_redacted_records WHERE event_id = ANY ($1)`;
const REDACTED = `SELECT event_id AS "eventId", fields FROM audit_redacted_records WHERE redaction_id = $1 ORDER BY event_id COLLATE "C", recorded_at`;
const UNNUMBERED = `SELECT e.event_id FROM audit_events e, audit_horizon h WHERE e.xid < h.pos
  AND NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id) LIMIT 100`;

/** Reads the trail as it stands, under the organization's own rights. */
export class PostgresAuditLogReader implements AuditLogReader {
  constructor(private readonly pool: pg.Pool) {}

  async entries(organizationId: string, seq: number, limit: number): Promise<readonly LogEntry[]> {
    return (await this.read<EntryRow>(organizationId, ENTRIES, [seq, limit])).map(entryOf);
  }

  sketches(organizationId: string, seq: number, limit: number): Promise<LogStretch<SketchedEntry>> {
    return this.stretch(organizationId, [seq, limit], async (client) => {
      return new CopiedRecords(await copyOut(client, copiedRecords(seq, limit))).read();
    });
  }

  leaves(organizationId: string, seq: number, limit: number): Promise<LogStretch<NumberedLeaf>> {
    return this.stretch(organizationId, [seq, limit], async (client) => {
      const { rows } = await client.query<NumberedLeaf>(LEAVES, [seq, limit]);
      return rows;
    });
  }

  hashes(organizationId: string, tileLevel: number, start: number, count: number): Promise<Buffer> {
    return this.inLog(organizationId, (client) => readHashes(client, tileLevel, start, count));
  }

  async rowsOf(organizationId: string, from: string, to: string): Promise<{ from: number; to: number } | undefined> {
    const [found] = await this.read<{ from: number | null; to: number }>(organizationId, ROWS, [from, to]);
    return found === undefined || found.from === null ? undefined : { from: found.from, to: found.to };
  }

  async entryOf(organizationId: string, eventId: string): Promise<LogEntry | undefined> {
    const [found] = await this.read<EntryRow>(organizationId, ENTRY, [eventId]);
    return found === undefined ? undefined : entryOf(found);
  }

  async size(organizationId: string): Promise<number> {
    return (await this.read<{ size: number }>(organizationId, SIZE, []))[0]?.size ?? 0;
  }

  notes(organizationId: string, from: number, to: number): Promise<readonly StoredNote[]> {
    return this.read(organizationId, NOTES, [from, to]);
  }

  async cosignedNotes(organizationId: string): Promise<readonly string[]> {
    return (await this.read<{ note: string }>(organizationId, COSIGNED, [])).map(({ note }) => note);
  }

  async newestNote(organizationId: string): Promise<StoredNote | undefined> {
    return (await this.read<StoredNote>(organizationId, NEWEST, []))[0];
  }

  async pruning(organizationId: string): Promise<StoredPruning | undefined> {
    return (await this.read<StoredPruning>(organizationId, PRUNING, []))[0];
  }

  async vaulted(organizationId: string, seq: number, limit: number): Promise<readonly VaultedEntry[]> {
    return (await this.read<VaultRow>(organizationId, VAULTED, [seq, limit])).map(vaultedOf);
  }

  async vaultedOf(organizationId: string, eventId: string): Promise<VaultedEntry | undefined> {
    const [found] = await this.read<VaultRow>(organizationId, VAULTED_ENTRY, [eventId]);
    return found === undefined ? undefined : vaultedOf(found);
  }

  async vaultStated(
    organizationId: string,
  ): Promise<{ readonly resourceIds: readonly string[]; readonly afterHash: string | null } | undefined> {
    const rows = await this.read<{ resourceIds: string[]; afterHash: string | null }>(organizationId, VAULT_STATED, []);
    return rows[0];
  }

  async redactionsOf(organizationId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.read<{ eventId: string; redactionId: string }>(organizationId, REDACTIONS, [eventIds]);
    return new Map(rows.map(({ eventId, redactionId }) => [eventId, redactionId]));
  }

  redactedBy(organizationId: string, redactionId: string): Promise<readonly RedactedRecord[]> {
    return this.read(organizationId, REDACTED, [redactionId]);
  }

  async unnumbered(organizationId: string): Promise<readonly string[]> {
    const rows = await this.read<{ event_id: string }>(organizationId, UNNUMBERED, []);
    return rows.map((row) => row.event_id);
  }

  private stretch<Entry extends NumberedLeaf>(
    organizationId: string,
    [seq, limit]: readonly [number, number],
    read: (client: pg.PoolClient) => Promise<readonly Entry[]>,
  ): Promise<LogStretch<Entry>> {
    return this.inLog(organizationId, async (client) => {
      const entries = await read(client);
      const end = seq + limit;
      const tiles = await client.query<{ index: number; hashes: Buffer }>(TILES, [
        Math.floor(seq / TILE_WIDTH),
        Math.floor((end - 1) / TILE_WIDTH),
      ]);
      const notes = await client.query<StoredNote>(NOTES, [seq + 1, end]);
      return { entries, tiles: new Map(tiles.rows.map((row) => [row.index, row.hashes])), notes: notes.rows };
    });
  }

  private read<T extends pg.QueryResultRow>(organizationId: string, text: string, values: unknown[]): Promise<T[]> {
    return this.inLog(organizationId, async (client) => (await client.query<T>(text, values)).rows);
  }

  private inLog<T>(organizationId: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return withTenantSql(this.pool, organizationId, 'consistent read', work);
  }
}

const entryOf = ({ canon, nonce, actor, client, columns, ...entry }: EntryRow): LogEntry => ({
  ...entry,
  row: canon === null ? null : { canon, nonce, actor, client, columns },
});

const vaultedOf = ({ seq, path, vaultNumber, canon, nonce, actor, client, columns }: VaultRow): VaultedEntry => ({
  seq,
  path,
  vaultNumber,
  row: { canon, nonce, actor, client, columns },
});
