import { Failure } from '../../../../kernel/failure/failure.js';
import { newAuditExportId } from '../../../../kernel/ids.js';
import type { ContentStore } from '../../../../kernel/ports/content-store.js';
import type { JobQueue } from '../../../../kernel/ports/queue.js';
import type { UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { AuditFilter } from '../audit-search.js';
import type { ChangeOrigin } from '../transactional-audit.js';
import type { AuditExport, ExportFormat } from './audit-export.js';
import type { AuditExportStore } from './audit-export-store.js';
import { enqueueExport } from './enqueue-export.js';
import type { ExportAudit } from './export-audit.js';

/** Use cases: asking for exports, seeing how far they are, and taking their files. */
export class AuditExports {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: AuditExportStore,
    private readonly audit: ExportAudit,
    private readonly queue: JobQueue,
    private readonly files: ContentStore,
  ) {}

  async request(
    organizationId: string,
    wanted: { readonly format: ExportFormat; readonly filter: AuditFilter },
    origin: ChangeOrigin,
  ): Promise<AuditExport> {
    const requested = {
      exportId: newAuditExportId(),
      ...wanted,
      requestedBy: `${origin.actorKind}:${origin.actor ?? ''}`,
    };
    const created = await this.unitOfWork.withTenant(organizationId, async (tx) => {
      const created = await this.store.insert(tx, requested);
      await this.audit.requested(tx, created, origin);
      return created;
    });
    await enqueueExport(this.queue, organizationId, created.exportId, 0);
    return created;
  }

  /** @throws Failure `resource.not_found` */
  async find(organizationId: string, exportId: string): Promise<AuditExport> {
    const found = await this.unitOfWork.withTenant(organizationId, (tx) => this.store.find(tx, exportId));
    if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    return found;
  }

  /** Newest first. */
  list(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly AuditExport[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  /** @throws Failure `resource.not_found`, with reason `superseded` after a redaction; `state.conflict` while there is none yet */
  async ready(organizationId: string, exportId: string): Promise<AuditExport & { readonly manifest: string }> {
    const found = await this.find(organizationId, exportId);
    if (found.state === 'superseded') throw new Failure('resource.not_found', { reason: 'superseded' });
    if (found.manifest === undefined) throw new Failure('state.conflict', { retryAfterMs: 2000 });
    return { ...found, manifest: found.manifest };
  }

  /**
   * The file of an export that is ready, piece by piece.
   * @throws Error for a piece that is not as long as it was written, or is gone: a download breaks off, and is never short
   */
  async *content(organizationId: string, exportId: string): AsyncGenerator<Uint8Array, void, undefined> {
    for (const part of await this.store.parts(organizationId, exportId)) {
      let left = part.bytes;
      for await (const chunk of this.files.open(organizationId, part.storageKey).chunks()) {
        left -= chunk.length;
        if (left < 0) break;
        yield chunk;
      }
      if (left !== 0) throw new Error(`a piece of export ${exportId} is not as it was written`);
    }
  }
}
