import { createHash } from 'node:crypto';
import type { ContentStore } from '../../../../kernel/ports/content-store.js';
import type { UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { ExportHeader } from '../../domain/audit-export.js';
import type { AuditFilter } from '../audit-search.js';
import type { AuditExport, ExportFailure, PartProgress } from './audit-export.js';
import { type AuditExportStore, type ExportLease, LeaseLost } from './audit-export-store.js';
import type { ExportAudit } from './export-audit.js';
import type { ExportHeaders } from './export-headers.js';
import type { HeldRows } from './held-rows.js';
import { manifestOf } from './export-manifest.js';
import { type ExportWriter, writerOf } from './export-writer.js';
import type { ExportedEntries, ExportedEntry } from './exported-entries.js';

/** Rows of a piece of the file: what a killed worker may have to do again. */
const PART_ROWS = 20_000;
/** Rows in memory at the same time. */
const ROWS_AT_ONCE = 1000;

/** `lost`: another worker has it, or a redaction ended it meanwhile. */
export type ExportOutcome = 'ready' | 'failed' | 'stopped' | 'not_claimed' | 'lost';

class RecordGone extends Error {}

type Progress = { -readonly [K in keyof PartProgress]: PartProgress[K] };

/**
 * Writes the file of an export, piece by piece. Each piece is kept by its content before the export moves on in one
 * transaction, and the same rows give the same bytes: whoever goes on after a killed worker loses and doubles nothing.
 */
export class RunAuditExport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly exports: AuditExportStore,
    private readonly entries: ExportedEntries,
    private readonly log: { readonly headers: ExportHeaders; readonly held: HeldRows },
    private readonly files: ContentStore,
    private readonly audit: ExportAudit,
    private readonly partRows: number = PART_ROWS,
  ) {}

  /** @param signal aborted when the process stops: the piece under way is finished and the export let go. */
  async run(organizationId: string, exportId: string, signal: AbortSignal): Promise<ExportOutcome> {
    const claimed = await this.exports.claim(organizationId, exportId);
    if (claimed === undefined) return 'not_claimed';
    const { lease, found } = claimed;
    try {
      return await this.write(lease, found, signal);
    } catch (error) {
      if (error instanceof LeaseLost) return 'lost';
      if (error instanceof RecordGone) return this.fail(lease, found, 'record_gone');
      throw error;
    }
  }

  private async write(lease: ExportLease, found: AuditExport, signal: AbortSignal): Promise<ExportOutcome> {
    const header = found.header ?? (await this.begin(lease, found));
    if (header === undefined) return this.fail(lease, found, 'nothing_covered');
    // Where held records are all that there is, there is one piece and no row.
    for (let at = found.nextSeq ?? header.from, isNew = found.bytes === 0; at < header.to || isNew; isNew = false) {
      if (signal.aborted) return this.letGo(lease);
      at = await this.writePart(lease, found, header, at);
    }
    return this.complete(lease, header);
  }

  private async begin(lease: ExportLease, { filter }: AuditExport): Promise<ExportHeader | undefined> {
    const { organizationId } = lease;
    const header = await this.log.headers.of(organizationId, filter);
    if (header !== undefined) await this.exports.begin(lease, header);
    return header;
  }

  /** @returns the row after the piece. */
  private async writePart(
    lease: ExportLease,
    { format, filter }: AuditExport,
    header: ExportHeader,
    from: number,
  ): Promise<number> {
    const to = Math.min(header.to, from + this.partRows);
    const progress = { from, to, records: 0 };
    const lines = this.lines(lease.organizationId, filter, writerOf(format, header), header, progress);
    const part = await this.files.put(lease.organizationId, lines);
    await this.exports.addPart(lease, part, progress);
    return to;
  }

  private async *lines(
    organizationId: string,
    filter: AuditFilter,
    writer: ExportWriter,
    header: ExportHeader,
    progress: Progress,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    if (progress.from === header.from) {
      yield Buffer.from(writer.begin(header));
      yield* this.heldLines(organizationId, filter, writer, header, progress);
    }
    for (let at = progress.from; at < progress.to;) {
      const rows = { from: at, to: progress.to, limit: ROWS_AT_ONCE };
      const entries = await this.entries.read(organizationId, filter, rows);
      if (entries.length === 0 || entries.some((entry, i) => entry.seq !== at + i)) throw new RecordGone();
      note(progress, entries);
      yield Buffer.from(writer.rows(entries));
      at += entries.length;
    }
  }

  /** The vault may change until the first piece is kept; then nothing is left out in silence. */
  private async *heldLines(
    organizationId: string,
    filter: AuditFilter,
    writer: ExportWriter,
    header: ExportHeader,
    progress: Progress,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    if (header.held === undefined) return;
    for await (const rows of this.log.held.of(organizationId, filter, header)) {
      for (const { seq } of rows) noteRecord(progress, seq);
      yield Buffer.from(writer.held(rows));
    }
    if (progress.records !== header.held) throw new RecordGone();
  }

  private async complete(lease: ExportLease, header: ExportHeader): Promise<ExportOutcome> {
    const { organizationId, exportId } = lease;
    const parts = await this.exports.parts(organizationId, exportId);
    const whole = createHash('sha256');
    for (const { storageKey } of parts)
      for await (const chunk of this.files.open(organizationId, storageKey).chunks()) whole.update(chunk);
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const found = await this.exports.find(tx, exportId);
      if (found === undefined) return 'lost';
      const manifest = manifestOf(found, header, parts, whole.digest('hex'));
      if (!(await this.exports.finish(tx, lease, { manifest }))) return 'lost';
      await this.audit.finished(tx, found, manifest);
      return 'ready';
    });
  }

  private fail(lease: ExportLease, found: AuditExport, failure: ExportFailure): Promise<ExportOutcome> {
    return this.unitOfWork.withTenant(lease.organizationId, async (tx) => {
      if (!(await this.exports.finish(tx, lease, { failure }))) return 'lost';
      await this.audit.failed(tx, found, failure);
      return 'failed';
    });
  }

  private async letGo(lease: ExportLease): Promise<ExportOutcome> {
    await this.exports.release(lease);
    return 'stopped';
  }
}

/** @throws RecordGone */
function note(progress: Progress, entries: readonly ExportedEntry[]): void {
  for (const { seq, record } of entries) {
    if (record === 'gone') throw new RecordGone();
    if (record !== 'left out') noteRecord(progress, seq);
  }
}

function noteRecord(progress: Progress, seq: number): void {
  progress.records++;
  progress.firstSeq ??= seq;
  progress.lastSeq = seq;
}
