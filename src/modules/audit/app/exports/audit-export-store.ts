import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { ExportHeader } from '../../domain/audit-export.js';
import type { AuditExport, ExportFailure, ExportPart, PartProgress } from './audit-export.js';

/** The right to work on an export. `attempt` is the fencing token: who lost the lease unnoticed cannot change anything. */
export interface ExportLease {
  readonly organizationId: string;
  readonly exportId: string;
  readonly attempt: number;
}

/** The export is another worker's, or a redaction has ended it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Port: keeps exports and the pieces of their files. */
export interface AuditExportStore {
  insert(
    tx: TenantTransaction,
    requested: Pick<AuditExport, 'exportId' | 'format' | 'filter' | 'requestedBy'>,
  ): Promise<AuditExport>;
  find(tx: TenantTransaction, exportId: string): Promise<AuditExport | undefined>;
  /** Newest first, at most `limit` behind `after`. */
  list(
    tx: TenantTransaction,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly AuditExport[]>;
  /** Takes an export that waits, or whose worker is gone. @returns undefined where another one has it. */
  claim(organizationId: string, exportId: string): Promise<{ lease: ExportLease; found: AuditExport } | undefined>;
  /** Waits for redactions under way: rows are read after this, without what they erase. @throws LeaseLost */
  begin(lease: ExportLease, header: ExportHeader): Promise<void>;
  /** Adds a piece and moves on, in one transaction. @throws LeaseLost */
  addPart(lease: ExportLease, part: ExportPart, progress: PartProgress): Promise<void>;
  /** The pieces, in order. */
  parts(organizationId: string, exportId: string): Promise<readonly ExportPart[]>;
  /** @returns false when the lease is lost. */
  finish(
    tx: TenantTransaction,
    lease: ExportLease,
    end: { readonly manifest: string } | { readonly failure: ExportFailure },
  ): Promise<boolean>;
  /** Lets the export go, so that another worker may go on at once. */
  release(lease: ExportLease): Promise<void>;
  /** Exports of all organizations that no live worker holds. */
  open(limit: number): Promise<readonly { organizationId: string; exportId: string; attempt: number }[]>;
  /** Exports that a redaction ended, by id. */
  supersededBy(tx: TenantTransaction, redactionId: string): Promise<readonly string[]>;
  /** Superseded exports of all organizations whose pieces are still there and are due to go. */
  superseded(limit: number): Promise<readonly { organizationId: string; exportId: string }[]>;
  /**
   * Takes the pieces of a superseded export; their files go after them (file-removal).
   * @returns how many; `held` where a legal hold keeps them for now, undefined where another worker took them
   */
  takeSuperseded(tx: TenantTransaction, exportId: string): Promise<number | 'held' | undefined>;
}
