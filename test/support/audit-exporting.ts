import type pg from 'pg';
import { ExportAuditLog } from '../../src/modules/audit/app/export-audit-log.js';
import { ExportHeaders } from '../../src/modules/audit/app/exports/export-headers.js';
import { HeldRows } from '../../src/modules/audit/app/exports/held-rows.js';
import { PostgresAuditLog } from '../../src/modules/audit/infra/postgres-audit-log.js';
import { PostgresAuditLogReader } from '../../src/modules/audit/infra/postgres-audit-log-reader.js';
import { PostgresExportedEntries } from '../../src/modules/audit/infra/postgres-exported-entries.js';

/** What every kind of export begins with, on a database. */
export function exportParts(pool: pg.Pool, gatewayId: string): { headers: ExportHeaders; held: HeldRows } {
  const [log, entries] = [new PostgresAuditLog(pool), new PostgresExportedEntries(pool)];
  return { headers: new ExportHeaders(log, entries, gatewayId), held: new HeldRows(log, entries) };
}

/** `audit export` on a database. */
export function exportAuditLog(pool: pg.Pool, gatewayId: string): ExportAuditLog {
  const { headers, held } = exportParts(pool, gatewayId);
  return new ExportAuditLog(headers, held, new PostgresAuditLogReader(pool));
}
