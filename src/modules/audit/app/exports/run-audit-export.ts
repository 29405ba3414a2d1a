import { createHash } from 'node:crypto';
import type { ContentStore } from '../../../../kernel/ports/content-store.js';
import type { UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { ExportHeader } from '../../domain/audit-export.js';
import type { AuditExport, ExportFailure, PartProgress } from './audit-export.js';
import type { AuditExportStore, ExportLease } from './audit-export-store.js';
import type { ExportAudit } from './export-audit.js';
import type { ExportHeaders } from './export-headers.js';
import { manifestOf } from './export-manifest.js';
import { type ExportWriter, writerOf } from './export-writer.js';
import type { ExportedEntries, ExportedEntry } from './exported-entries.js';

/** Rows of a piece of the file: what a killed worker may have to do again. */
const PART_ROWS = 20_000;
/** Rows in memory at the same time. */
const ROWS_AT_ONCE = 1000;

export type ExportOutcome = 'ready' | 'failed' | 'stopped' | 'not_claimed';

class RecordGone extends Error {}

/**
 * Writes the file of an export, piece by piece. Each piece is kept by its content before the export moves on in one
 * transaction, and the same rows give the same bytes: whoever goes on after a killed worker loses and doubles nothing.
 */
export class RunAuditExport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly exports: AuditExportStore,
    private readonly entries: ExportedEntries,
    private readonly headers: ExportHeaders,
    private readonly files: ContentStore,
    private readonly audit: ExportAudit,
    private readonly partRows: number = PART_ROWS,
  ) {}

  /** @param signal aborted when the process stops: the piece under way is finished and the export let go. */
  async run(organizationId: string, exportId: string, signal: AbortSignal): Promise<ExportOutcome> {
    const claimed = await this.exports.claim(organizationId, exportId);
    if (claimed === undefined) return 'not_claimed';
    const { lease, found } = claimed;
    const header = found.header ?? (await this.begin(lease, found));
    if (header === undefined) return this.fail(lease, found, 'nothing_covered');
    try {
      for (let at = found.nextSeq ?? header.from; at < header.to;) {
        if (signal.aborted) return await this.letGo(lease);
        at = await this.writePart(lease, found, header, at);
      }
    } catch (error) {
      if (error instanceof RecordGone) return this.fail(lease, found, 'record_gone');
      throw error;
    }
    return this.complete(lease, header);
  }

  private async begin(lease: ExportLease, { filter }: AuditExport): Promise<ExportHeader | undefined> {
    const { organizationId } = lease;
    const header = await this.headers.of(organizationId, await this.entries.stretch(organizationId, filter));
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
    filter: AuditExport['filter'],
    writer: ExportWriter,
    header: ExportHeader,
    progress: { -readonly [K in keyof PartProgress]: PartProgress[K] },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    if (progress.from === header.from) yield Buffer.from(writer.begin(header));
    for (let at = progress.from; at < progress.to;) {
      const rows = { from: at, to: progress.to, limit: ROWS_AT_ONCE };
      const entries = await this.entries.read(organizationId, filter, rows);
      if (entries.length === 0 || entries.some((entry, i) => entry.seq !== at + i)) throw new RecordGone();
      note(progress, entries);
      yield Buffer.from(writer.rows(entries));
      at += entries.length;
    }
  }

  private async complete(lease: ExportLease, header: ExportHeader): Promise<ExportOutcome> {
    const { organizationId, exportId } = lease;
    const parts = await this.exports.parts(organizationId, exportId);
    const whole = createHash('sha256');
    for (const { storageKey } of parts)
      for await (const chunk of this.files.open(organizationId, storageKey).chunks()) whole.update(chunk);
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const found = await this.exports.find(tx, exportId);
      if (found === undefined) return 'not_claimed';
      const manifest = manifestOf(found, header, parts, whole.digest('hex'));
      if (!(await this.exports.finish(tx, lease, { manifest }))) return 'not_claimed';
      await this.audit.finished(tx, found, manifest);
      return 'ready';
    });
  }

  private fail(lease: ExportLease, found: AuditExport, failure: ExportFailure): Promise<ExportOutcome> {
    return this.unitOfWork.withTenant(lease.organizationId, async (tx) => {
      if (!(await this.exports.finish(tx, lease, { failure }))) return 'not_claimed';
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
function note(
  progress: { -readonly [K in keyof PartProgress]: PartProgress[K] },
  entries: readonly ExportedEntry[],
): void {
  for (const { seq, record } of entries) {
    if (record === 'gone') throw new RecordGone();
    if (record === 'left out') continue;
    progress.records++;
    progress.firstSeq ??= seq;
    progress.lastSeq = seq;
  }
}
