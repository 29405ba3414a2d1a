import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AuditExport as Stored } from '../../../platform/database/generated/client.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type {
  AuditExport,
  ExportFailure,
  ExportFormat,
  ExportPart,
  PartProgress,
} from '../app/exports/audit-export.js';
import { type AuditExportStore, type ExportLease, LeaseLost } from '../app/exports/audit-export-store.js';
import type { AuditFilter } from '../app/audit-search.js';
import type { ExportHeader } from '../domain/audit-export.js';

const LEASE_SECONDS = 60;

const CLAIM = `UPDATE audit_exports SET state = 'running', attempt = attempt + 1, lease_until = now() + make_interval(secs => $2)
  WHERE export_id = $1 AND (state = 'queued' OR (state = 'running' AND lease_until < now())) RETURNING attempt`;
const HELD = `export_id = $1 AND attempt = $2 AND state = 'running'`;
const BEGIN = `UPDATE audit_exports SET header = $3, next_seq = $4, lease_until = now() + make_interval(secs => $5) WHERE ${HELD} AND header IS NULL`;
const NO_REDACTION = 'SELECT pg_advisory_xact_lock_shared(export_lock_key(current_tenant()))';
const MOVE_ON = `UPDATE audit_exports SET next_seq = $4, records = records + $5, bytes = bytes + $6, first_seq = coalesce(first_seq, $7),
    last_seq = coalesce($8, last_seq), lease_until = now() + make_interval(secs => $9) WHERE ${HELD} AND next_seq = $3`;
const ADD_PART = `INSERT INTO audit_export_parts (organization_id, export_id, part, storage_key, sha256, bytes)
  SELECT current_tenant(), $1, count(*), $2, $3, $4 FROM audit_export_parts WHERE export_id = $1`;
const PARTS = `SELECT storage_key AS "storageKey", sha256, bytes::float8 AS bytes FROM audit_export_parts WHERE export_id = $1 ORDER BY part`;
const RELEASE = `UPDATE audit_exports SET lease_until = now() WHERE ${HELD}`;

/** Exports in PostgreSQL: staff's side through Prisma, the workers' side in plain SQL. */
export class PrismaAuditExports implements AuditExportStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly leaseSeconds: number = LEASE_SECONDS,
  ) {}

  async insert(
    tx: TenantTransaction,
    { exportId, format, filter, requestedBy }: Pick<AuditExport, 'exportId' | 'format' | 'filter' | 'requestedBy'>,
  ): Promise<AuditExport> {
    const { organizationId } = tx;
    const data = { organizationId, exportId, format, filter: { ...filter }, requestedBy };
    return exportOf(await prismaOf(tx).auditExport.create({ data }));
  }

  async find(tx: TenantTransaction, exportId: string): Promise<AuditExport | undefined> {
    const where = { organizationId_exportId: { organizationId: tx.organizationId, exportId } };
    const found = await prismaOf(tx).auditExport.findUnique({ where });
    return found === null ? undefined : exportOf(found);
  }

  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly AuditExport[]> {
    const where = after === undefined ? {} : { exportId: { lt: after } };
    const found = await prismaOf(tx).auditExport.findMany({ where, orderBy: { exportId: 'desc' }, take: limit });
    return found.map(exportOf);
  }

  async claim(
    organizationId: string,
    exportId: string,
  ): Promise<{ lease: ExportLease; found: AuditExport } | undefined> {
    return withTenantSql(this.pool, organizationId, 'read write', async (client) => {
      const { rows } = await client.query<{ attempt: number }>(CLAIM, [exportId, this.leaseSeconds]);
      const [claimed] = rows;
      if (claimed === undefined) return undefined;
      const { rows: all } = await client.query<Stored>(`SELECT ${STORED} FROM audit_exports WHERE export_id = $1`, [
        exportId,
      ]);
      const [stored] = all;
      if (stored === undefined) return undefined;
      return { lease: { organizationId, exportId, attempt: claimed.attempt }, found: exportOf(stored) };
    });
  }

  begin(lease: ExportLease, header: ExportHeader): Promise<void> {
    return this.held(lease, async (client) => {
      await client.query(NO_REDACTION);
      return client.query(BEGIN, [lease.exportId, lease.attempt, header, header.from, this.leaseSeconds]);
    });
  }

  addPart(lease: ExportLease, part: ExportPart, progress: PartProgress): Promise<void> {
    const { from, to, records, firstSeq, lastSeq } = progress;
    return this.held(lease, async (client) => {
      const place = [lease.exportId, lease.attempt, from, to, records, part.bytes, firstSeq ?? null, lastSeq ?? null];
      const moved = await client.query(MOVE_ON, [...place, this.leaseSeconds]);
      if (moved.rowCount === 1)
        await client.query(ADD_PART, [lease.exportId, part.storageKey, part.sha256, part.bytes]);
      return moved;
    });
  }

  parts(organizationId: string, exportId: string): Promise<readonly ExportPart[]> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const { rows } = await client.query<ExportPart>(PARTS, [exportId]);
      return rows;
    });
  }

  async finish(
    tx: TenantTransaction,
    { organizationId, exportId, attempt }: ExportLease,
    end: { readonly manifest: string } | { readonly failure: ExportFailure },
  ): Promise<boolean> {
    const { count } = await prismaOf(tx).auditExport.updateMany({
      where: { organizationId, exportId, attempt, state: 'running' },
      data: { ...end, state: 'manifest' in end ? 'ready' : 'failed', leaseUntil: null, finishedAt: new Date() },
    });
    return count === 1;
  }

  async release({ organizationId, exportId, attempt }: ExportLease): Promise<void> {
    await withTenantSql(this.pool, organizationId, 'read write', (client) =>
      client.query(RELEASE, [exportId, attempt]),
    );
  }

  async open(limit: number): Promise<readonly { organizationId: string; exportId: string; attempt: number }[]> {
    const { rows } = await this.pool.query<{ organizationId: string; exportId: string; attempt: number }>(
      'SELECT organization_id AS "organizationId", export_id AS "exportId", attempt FROM open_audit_exports($1)',
      [limit],
    );
    return rows;
  }

  async supersededBy(tx: TenantTransaction, redactionId: string): Promise<readonly string[]> {
    const where = { organizationId: tx.organizationId, supersededBy: redactionId };
    const select = { exportId: true };
    const found = await prismaOf(tx).auditExport.findMany({ where, select, orderBy: { exportId: 'asc' } });
    return found.map(({ exportId }) => exportId);
  }

  async superseded(limit: number): Promise<readonly { organizationId: string; exportId: string }[]> {
    const { rows } = await this.pool.query<{ organizationId: string; exportId: string }>(
      'SELECT organization_id AS "organizationId", export_id AS "exportId" FROM superseded_audit_exports($1)',
      [limit],
    );
    return rows;
  }

  async takeSuperseded(tx: TenantTransaction, exportId: string): Promise<number | 'held' | undefined> {
    const [row] = await prismaOf(tx).$queryRaw<{ taken: number | null }[]>`
      SELECT take_superseded_parts(${exportId}) AS taken`;
    const taken = row?.taken ?? undefined;
    return taken !== undefined && taken < 0 ? 'held' : taken;
  }

  private async held(lease: ExportLease, work: (client: pg.PoolClient) => Promise<pg.QueryResult>): Promise<void> {
    const { rowCount } = await withTenantSql(this.pool, lease.organizationId, 'read write', work);
    if (rowCount !== 1) throw new LeaseLost('another worker has taken this export over, or it has ended');
  }
}

const STORED = `organization_id AS "organizationId", export_id AS "exportId", format, filter, state, requested_by AS "requestedBy",
  requested_at AS "requestedAt", attempt, lease_until AS "leaseUntil", header, next_seq AS "nextSeq", records, bytes, first_seq AS "firstSeq",
  last_seq AS "lastSeq", manifest, failure, finished_at AS "finishedAt", superseded_by AS "supersededBy"`;

/** A row as Prisma or plain SQL gives it. */
function exportOf(stored: Stored): AuditExport {
  const { header, nextSeq, firstSeq, lastSeq, manifest, failure, finishedAt, supersededBy } = stored;
  return {
    exportId: stored.exportId,
    format: stored.format as ExportFormat,
    filter: stored.filter as AuditFilter,
    state: stored.state as AuditExport['state'],
    requestedBy: stored.requestedBy,
    requestedAt: stored.requestedAt.getTime(),
    attempt: stored.attempt,
    records: Number(stored.records),
    bytes: Number(stored.bytes),
    ...(header === null ? {} : { header: header as unknown as ExportHeader }),
    ...(nextSeq === null ? {} : { nextSeq: Number(nextSeq) }),
    ...(firstSeq === null ? {} : { firstSeq: Number(firstSeq) }),
    ...(lastSeq === null ? {} : { lastSeq: Number(lastSeq) }),
    ...(manifest === null ? {} : { manifest }),
    ...(failure === null ? {} : { failure: failure as ExportFailure }),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.getTime() }),
    ...(supersededBy === null ? {} : { supersededBy }),
  };
}
