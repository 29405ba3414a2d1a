import { Failure } from '../../../kernel/failure/failure.js';
import type { ApprovalStatus, ApprovalSubject } from '../../../kernel/ports/approvals.js';
import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { ExpectedVersions } from '../../../kernel/precondition.js';
import { rfc3339 } from '../../../kernel/time.js';
import type { ErasurePreview, PrivacyRequest, SealedSubject } from '../domain/privacy-request.js';
import { previewHash } from './preview-erasure.js';
import { present, type PrivacyOrigin, type PrivacyParts, recordChange, requestIn } from './privacy-parts.js';

export interface PreviewedErasure {
  readonly request: PrivacyRequest;
  readonly approval: ApprovalStatus;
}

/** Use cases: what an erasure would do, and carrying a request out. */
export class StartPrivacyRequest {
  constructor(private readonly parts: PrivacyParts) {}

  /**
   * Counts in a read-only transaction what would go and what would stay, keeps that, and asks two people to approve it.
   * @throws Failure `resource.not_found`; `input.precondition`, with the reason `still_in_use` for somebody in office
   */
  async preview(
    organizationId: string,
    requestId: string,
    expected: ExpectedVersions,
    origin: PrivacyOrigin,
  ): Promise<PreviewedErasure> {
    const { reads, store, unitOfWork } = this.parts;
    const found = await reads.readTenant(organizationId, async (tx) => {
      await store.makeReadOnly(tx);
      const request = present(await store.find(tx, requestId, 'read'));
      const sealed = present(await store.subjectOf(tx, requestId));
      return { preview: await this.count(tx, request, sealed) };
    });
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await requestIn(this.parts, tx, requestId, ['verified', 'previewed'], expected);
      if (before.kind !== 'erasure') throw new Failure('resource.not_found', { reason: 'not_found' });
      await this.refuseInUse(tx, present(await store.subjectOf(tx, requestId)));
      const hash = previewHash(requestId, before.subjectHash, found.preview);
      const approval = await this.parts.approvals.request(tx, {
        ...subjectOf(requestId, hash),
        summary: summaryOf(requestId, found.preview),
        requester: { actorKind: origin.actorKind, actor: origin.actor },
      });
      const after: PrivacyRequest = {
        ...before,
        state: 'previewed',
        version: before.version + 1,
        preview: found.preview,
        previewHash: hash,
        previewedAt: this.parts.clock.now(),
        approvalId: approval.approvalId,
      };
      await store.update(tx, after);
      const resourceIds = [approval.approvalId];
      await recordChange(this.parts, tx, origin, { operation: 'privacy.requests.preview', before, after, resourceIds });
      return { request: after, approval };
    });
  }

  /**
   * Carries out what was previewed and approved (erasure), or verified (access), in the background.
   * @throws Failure `resource.not_found`; `approval.pending`, `approval.denied`; `input.precondition`, also when what is found is no
   *   longer what was approved: it is to be previewed again
   */
  async run(
    organizationId: string,
    requestId: string,
    expected: ExpectedVersions,
    origin: PrivacyOrigin,
  ): Promise<PrivacyRequest> {
    const started = await this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await requestIn(this.parts, tx, requestId, ['verified', 'previewed'], expected);
      const sealed = present(await this.parts.store.subjectOf(tx, requestId));
      const approved = before.kind === 'erasure' ? await this.approved(tx, before, sealed) : {};
      const names = await this.parts.register.namesOf(tx, sealed.subject);
      await this.parts.store.putSubject(tx, requestId, { ...sealed, names: { ...sealed.names, ...names } });
      const pass = before.progress.pass + 1;
      const progress = { place: 0, after: '', places: [], pass };
      const after: PrivacyRequest = { ...before, ...approved, state: 'running', version: before.version + 1, progress };
      await this.parts.store.update(tx, after);
      await recordChange(this.parts, tx, origin, { operation: 'privacy.requests.run', before, after });
      return after;
    });
    await enqueueRequest(this.parts.queue, organizationId, requestId, started.attempt);
    return started;
  }

  /** Spends the approval of exactly what is found now, and journals the erasure before anything of it can be seen. */
  private async approved(
    tx: TenantTransaction,
    request: PrivacyRequest,
    sealed: SealedSubject,
  ): Promise<Pick<PrivacyRequest, 'approvedAt'>> {
    const { requestId, subjectHash } = request;
    if (request.previewHash === null || request.state !== 'previewed') throw notPreviewed('not_previewed');
    await this.refuseInUse(tx, sealed);
    const hash = previewHash(requestId, subjectHash, await this.count(tx, request, sealed));
    if (hash !== request.previewHash) throw notPreviewed('preview_outdated');
    await this.parts.approvals.spend(tx, subjectOf(requestId, hash));
    const approvedAt = this.parts.clock.now();
    const content = { subjectHashes: [subjectHash], ground: 'erasure_request', erasedAt: rfc3339(approvedAt) };
    await this.parts.journal.append({ kind: 'erasure', organizationId: tx.organizationId, requestId, content }, tx);
    return { approvedAt };
  }

  private async count(tx: TenantTransaction, request: PrivacyRequest, sealed: SealedSubject): Promise<ErasurePreview> {
    const { verification, requestId } = request;
    const names = { ...sealed.names, ...(await this.parts.register.namesOf(tx, sealed.subject)) };
    return this.parts.preview.run(tx, requestId, verification?.verifiedAt ?? Infinity, names);
  }

  private async refuseInUse(tx: TenantTransaction, { subject }: SealedSubject): Promise<void> {
    if (await this.parts.register.isInUse(tx, subject))
      throw new Failure('input.precondition', { reason: 'still_in_use', auditReason: 'subject_in_use' });
  }
}

/** The key names the attempt, so that a job left behind by a dead worker does not hide the next one. A queue that is away is no
 * failure: open requests are enqueued again every few seconds. */
export async function enqueueRequest(
  queue: JobQueue,
  organizationId: string,
  requestId: string,
  attempt: number,
): Promise<void> {
  const payload = { organizationId, id: requestId };
  await queue.add('privacy-requests', `${requestId}-${attempt}`, payload).catch(() => undefined);
}

const subjectOf = (requestId: string, contentHash: string): ApprovalSubject => ({
  kind: 'retention.run',
  resourceId: `privacy/${requestId}`,
  contentHash,
});

function summaryOf(requestId: string, { places }: ErasurePreview): string {
  const found = places.reduce((sum, tally) => sum + tally.found, 0);
  const goes = places.reduce((sum, tally) => sum + tally.goes, 0);
  return `Erase what is kept of the subject of request ${requestId}: ${goes} of ${found} record(s) in ${places.length} place(s)`;
}

const notPreviewed = (auditReason: 'not_previewed' | 'preview_outdated'): Failure =>
  new Failure('input.precondition', { reason: 'precondition_failed', auditReason });
