import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { DeletionRecordStore, RecordPage } from '../app/deletion-record-store.js';
import type { DeletionRecord } from '../app/deletion-records.js';
import { msOf } from './retention-run-rows.js';

const COLUMNS = `record_id, kind, source_id, content, content_sha256, event_id, ${msOf('recorded_at')} AS recorded_at`;

interface Row {
  readonly record_id: string;
  readonly kind: DeletionRecord['kind'];
  readonly source_id: string;
  readonly content: string;
  readonly content_sha256: string;
  readonly event_id: string;
  readonly recorded_at: number;
}

/** Deletion records in PostgreSQL (migration 23). */
export class PostgresDeletionRecords implements DeletionRecordStore {
  async add(tx: TenantTransaction, record: Omit<DeletionRecord, 'recordedAt'>): Promise<DeletionRecord> {
    const { recordId, kind, sourceId, content, sha256, eventId } = record;
    const [row] = await prismaOf(tx).$queryRawUnsafe<Row[]>(
      `INSERT INTO deletion_records (organization_id, record_id, kind, source_id, content, content_sha256, event_id)
       VALUES (current_tenant(), $1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
      ...[recordId, kind, sourceId, content, sha256, eventId],
    );
    if (row === undefined) throw new Error('a deletion record was not written');
    return recordOf(row);
  }

  async find(tx: TenantTransaction, recordId: string): Promise<DeletionRecord | undefined> {
    const [row] = await prismaOf(tx).$queryRawUnsafe<Row[]>(
      `SELECT ${COLUMNS} FROM deletion_records WHERE organization_id = current_tenant() AND record_id = $1`,
      recordId,
    );
    return row === undefined ? undefined : recordOf(row);
  }

  async list(tx: TenantTransaction, { after, limit }: RecordPage): Promise<readonly DeletionRecord[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<Row[]>(
      `SELECT ${COLUMNS} FROM deletion_records WHERE organization_id = current_tenant() AND ($1::text IS NULL OR record_id < $1)
       ORDER BY record_id DESC LIMIT $2`,
      ...[after ?? null, limit],
    );
    return rows.map(recordOf);
  }
}

const recordOf = (row: Row): DeletionRecord => ({
  recordId: row.record_id,
  kind: row.kind,
  sourceId: row.source_id,
  content: row.content,
  sha256: row.content_sha256,
  eventId: row.event_id,
  recordedAt: row.recorded_at,
});
