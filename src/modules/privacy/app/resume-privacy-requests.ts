import { Failure } from '../../../kernel/failure/failure.js';
import { NOT_BEGUN, type PrivacyRequest } from '../domain/privacy-request.js';
import { type PrivacyParts, recordChange, workerOrigin } from './privacy-parts.js';
import { enqueueRequest } from './start-privacy-request.js';

const OPEN_AT_ONCE = 200;

/** Goes on with requests of all organizations: lost jobs are enqueued again, what waited is listed again, files expire. */
export class ResumePrivacyRequests {
  constructor(private readonly parts: PrivacyParts) {}

  async run(): Promise<void> {
    for (const { organizationId, requestId, attempt, state } of await this.parts.store.open(OPEN_AT_ONCE)) {
      if (state === 'running') await enqueueRequest(this.parts.queue, organizationId, requestId, attempt);
      else if (state === 'pending') await this.listAgain(organizationId, requestId);
      else await this.expire(organizationId, requestId);
    }
  }

  /** Verified again, for a preview and an approval of what can go now, once a hold or floor has ended that kept something. */
  private listAgain(organizationId: string, requestId: string): Promise<void> {
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await this.parts.store.find(tx, requestId, 'change');
      if (before?.state !== 'pending') return;
      const binding = await this.parts.store.bindingHolds(tx, before.waitsFor);
      const floorEnded = before.againAt !== null && before.againAt <= this.parts.clock.now();
      const nothingToWaitFor = before.waitsFor.length === 0 && before.againAt === null;
      if (!floorEnded && !nothingToWaitFor && binding.length === before.waitsFor.length) return;
      const after: PrivacyRequest = {
        ...before,
        state: 'verified',
        version: before.version + 1,
        ...{ preview: null, previewHash: null, previewedAt: null, approvalId: null, approvedAt: null },
        ...{ waitsFor: [], againAt: null, progress: { ...NOT_BEGUN, pass: before.progress.pass } },
      };
      await this.parts.store.update(tx, after);
      const change = { operation: 'privacy.requests.list_again', before, after };
      await recordChange(this.parts, tx, workerOrigin(), change);
    });
  }

  /**
   * The rows of the file go, and the file after them (file-removal module). While a hold covers them they stay for the hold, and
   * are asked for again.
   */
  private async expire(organizationId: string, requestId: string): Promise<void> {
    const expiring = this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await this.parts.store.find(tx, requestId, 'change');
      if (before?.state !== 'ready') return;
      await this.parts.store.removeParts(tx, requestId);
      const closedAt = this.parts.clock.now();
      const after: PrivacyRequest = { ...before, state: 'closed', version: before.version + 1, closedAt };
      await this.parts.store.update(tx, after);
      await this.parts.store.forgetSubject(tx, requestId);
      await recordChange(this.parts, tx, workerOrigin(), { operation: 'privacy.requests.expire', before, after });
    });
    await expiring.catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'input.held') throw error;
    });
  }
}
