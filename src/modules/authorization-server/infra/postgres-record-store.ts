import { hash } from 'node:crypto';
import type pg from 'pg';
import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { AuthorizationRecord, NewRecord, RecordStore } from '../app/record-store.js';
import type { PayloadSeal } from './payload-seal.js';

interface Row {
  readonly id_hash: Buffer;
  readonly payload: Buffer;
  readonly consumed_at: Date | null;
}

const FIND = 'SELECT id_hash, payload, consumed_at FROM authorization_records WHERE organization_id = $1 AND kind = $2';
const INSERT = `INSERT INTO authorization_records (organization_id, kind, id_hash, payload, grant_hash, uid_hash, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond')`;
const REPLACE = `${INSERT} ON CONFLICT (organization_id, kind, id_hash) DO UPDATE SET payload = excluded.payload,
  grant_hash = excluded.grant_hash, uid_hash = excluded.uid_hash, expires_at = excluded.expires_at`;
/** One statement decides who is first; the loser takes down what the winner may be about to get. */
const CONSUME = `UPDATE authorization_records SET consumed_at = now()
  WHERE organization_id = $1 AND kind = $2 AND id_hash = $3 AND consumed_at IS NULL`;
const REMOVE_FAMILY = `DELETE FROM authorization_records WHERE organization_id = $1 AND grant_hash =
  (SELECT grant_hash FROM authorization_records WHERE organization_id = $1 AND kind = $2 AND id_hash = $3)`;
const SWEEP = `DELETE FROM authorization_records WHERE organization_id = $1 AND (kind, id_hash) IN
  (SELECT kind, id_hash FROM authorization_records WHERE organization_id = $1 AND expires_at < now()
   ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** Records as rows of the platform's own tenant (decision record 0032). Nothing in them can be read without the seal's key. */
export class PostgresRecordStore implements RecordStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly seal: PayloadSeal,
  ) {}

  async find(kind: string, id: string): Promise<AuthorizationRecord | undefined> {
    const { rows } = await this.query<Row>(`${FIND} AND id_hash = $3`, kind, hashOf(id));
    return this.recordOf(kind, rows[0]);
  }

  async findByUid(kind: string, uid: string): Promise<AuthorizationRecord | undefined> {
    const { rows } = await this.query<Row>(`${FIND} AND uid_hash = $3`, kind, hashOf(uid));
    return this.recordOf(kind, rows[0]);
  }

  async put(kind: string, id: string, record: NewRecord): Promise<void> {
    await this.query(REPLACE, ...this.columnsOf(kind, id, record));
  }

  async putOnce(kind: string, id: string, record: NewRecord): Promise<boolean> {
    const inserted = await this.query(`${INSERT} ON CONFLICT DO NOTHING`, ...this.columnsOf(kind, id, record));
    return inserted.rowCount === 1;
  }

  async consume(kind: string, id: string): Promise<boolean> {
    const spent = await this.query(CONSUME, kind, hashOf(id));
    if (spent.rowCount === 1) return true;
    await this.query(REMOVE_FAMILY, kind, hashOf(id));
    return false;
  }

  async remove(kind: string, id: string): Promise<void> {
    const remove = 'DELETE FROM authorization_records WHERE organization_id = $1 AND kind = $2 AND id_hash = $3';
    await this.query(remove, kind, hashOf(id));
  }

  async removeGrant(grantId: string): Promise<void> {
    await this.query(
      'DELETE FROM authorization_records WHERE organization_id = $1 AND grant_hash = $2',
      hashOf(grantId),
    );
  }

  async touch(kind: string, id: string, lifetimeMs: number): Promise<void> {
    await this.query(
      `UPDATE authorization_records SET used_at = coalesce(used_at, now()),
         expires_at = greatest(expires_at, now() + $4 * interval '1 millisecond')
       WHERE organization_id = $1 AND kind = $2 AND id_hash = $3`,
      kind,
      hashOf(id),
      lifetimeMs,
    );
  }

  async count(kind: string): Promise<number> {
    const { rows } = await this.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM authorization_records
       WHERE organization_id = $1 AND kind = $2 AND expires_at > now()`,
      kind,
    );
    return rows[0]?.count ?? 0;
  }

  async sweep(most: number): Promise<number> {
    return (await this.query(SWEEP, most)).rowCount ?? 0;
  }

  private query<T extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<pg.QueryResult<T>> {
    return withTenantSql(this.pool, PLATFORM_TENANT, 'read write', (client) =>
      client.query<T>(text, [PLATFORM_TENANT, ...values]),
    );
  }

  private columnsOf(kind: string, id: string, record: NewRecord): unknown[] {
    const idHash = hashOf(id);
    const sealed = this.seal.seal(record.payload, placeOf(kind, idHash));
    const { grantId, uid, lifetimeMs } = record;
    return [kind, idHash, sealed, optionalHash(grantId), optionalHash(uid), lifetimeMs];
  }

  private recordOf(kind: string, row: Row | undefined): AuthorizationRecord | undefined {
    if (row === undefined) return undefined;
    const payload = this.seal.open(row.payload, placeOf(kind, row.id_hash));
    if (payload === undefined) return undefined;
    if (row.consumed_at === null) return { payload };
    return { payload, consumedAt: Math.floor(row.consumed_at.getTime() / 1000) };
  }
}

// Ids have at least 126 random bits, so a plain hash cannot be turned back; ids of clients are no secrets.
const hashOf = (id: string): Buffer => hash('sha256', id, 'buffer');
const optionalHash = (id: string | undefined): Buffer | null => (id === undefined ? null : hashOf(id));
const placeOf = (kind: string, idHash: Buffer): Buffer => Buffer.concat([Buffer.from(`${kind}\0`), idHash]);
