import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { PrivacyRequest } from '../domain/privacy-request.js';
import { present, type PrivacyParts } from './privacy-parts.js';
import type { RunAccess } from './run-access.js';
import type { RunErasure } from './run-erasure.js';

export type RequestOutcome = 'done' | 'stopped' | 'not_claimed';

/** Works on a request under a lease, step by step. The database is the truth: whoever takes it goes on where the last one was. */
export class RunPrivacyRequest {
  constructor(
    private readonly parts: Pick<PrivacyParts, 'unitOfWork' | 'store'>,
    private readonly erasure: RunErasure,
    private readonly access: RunAccess,
  ) {}

  /** @param signal aborted when the process stops: the step under way is finished and the request let go. */
  async run(organizationId: string, requestId: string, signal: AbortSignal): Promise<RequestOutcome> {
    const { unitOfWork, store } = this.parts;
    const attempt = await unitOfWork.withTenant(organizationId, (tx) => store.claim(tx, requestId));
    if (attempt === undefined) return 'not_claimed';
    while (await this.step(organizationId, requestId, attempt))
      if (signal.aborted) {
        await unitOfWork.withTenant(organizationId, (tx) => store.release(tx, requestId, attempt));
        return 'stopped';
      }
    return 'done';
  }

  private async step(organizationId: string, requestId: string, attempt: number): Promise<boolean> {
    const { unitOfWork, store } = this.parts;
    const held = <T>(work: (tx: TenantTransaction, request: PrivacyRequest) => Promise<T>): Promise<T> =>
      unitOfWork.withTenant(organizationId, async (tx) => {
        if (!(await store.isHeld(tx, requestId, attempt)))
          throw new Error('another worker has taken this request over');
        return work(tx, present(await store.find(tx, requestId, 'change')));
      });
    const { kind } = await unitOfWork.withTenant(organizationId, async (tx) =>
      present(await store.find(tx, requestId, 'read')),
    );
    if (kind === 'erasure') return held((tx, request) => this.erasure.step(tx, request));
    const request = await held((_, found) => Promise.resolve(found));
    return this.access.step(organizationId, request, held);
  }
}
