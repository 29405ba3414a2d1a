import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RetentionRules } from '../../retention/index.js';
import { emptyTally, waitingFor } from '../domain/place-tally.js';
import type { PrivacyRequest, RequestProgress } from '../domain/privacy-request.js';
import { erasePage } from './erase-page.js';
import type { ErasureRecords } from './erasure-records.js';
import { present, type PrivacyParts } from './privacy-parts.js';
import type { RegisteredPlace } from './subject-register.js';

/**
 * Carries out an erasure that was approved, page by page. What was erased and how far it is change in one transaction: whoever
 * goes on after a killed worker erases nothing twice and counts nothing twice.
 */
export class RunErasure {
  constructor(
    private readonly parts: PrivacyParts,
    private readonly rules: RetentionRules,
    private readonly records: ErasureRecords,
  ) {}

  /**
   * The next page. @returns false when there is nothing more to do
   * @throws Error when another worker has it
   */
  async step(tx: TenantTransaction, request: PrivacyRequest): Promise<boolean> {
    const { requestId, progress, approvedAt, verification } = request;
    const registered = this.parts.register.places[progress.place];
    if (registered === undefined) {
      await this.finish(tx, request);
      return false;
    }
    await this.parts.store.joinDeletions(tx, approvedAt);
    const { names } = present(await this.parts.store.subjectOf(tx, requestId));
    const known = progress.places.find(({ place }) => place === registered.place) ?? emptyTally(registered.place);
    const { tally, after } = await erasePage(tx, registered, known, {
      asked: { requestId, verifiedAt: verification?.verifiedAt ?? 0, names },
      rules: await this.rules.inForce(tx),
      now: this.parts.clock.now(),
      after: progress.after,
    });
    await this.parts.store.update(tx, { ...request, progress: movedOn(progress, registered, tally, after) });
    return true;
  }

  /** Everything went, or waits for a hold or a floor to end: then it is listed again. The deletion record is what audits it. */
  private async finish(tx: TenantTransaction, request: PrivacyRequest): Promise<void> {
    const waiting = waitingFor(request.progress.places);
    const ended: PrivacyRequest = {
      ...request,
      state: waiting === null ? 'closed' : 'pending',
      version: request.version + 1,
      waitsFor: waiting?.holds ?? [],
      againAt: waiting?.againAt ?? null,
      closedAt: waiting === null ? this.parts.clock.now() : null,
    };
    const after = { ...ended, deletionRecordId: await this.records.write(tx, ended) };
    await this.parts.store.update(tx, after);
    if (waiting === null) await this.parts.store.forgetSubject(tx, request.requestId);
  }
}

function movedOn(
  progress: RequestProgress,
  { place }: RegisteredPlace,
  tally: RequestProgress['places'][number],
  after: string | undefined,
): RequestProgress {
  const others = progress.places.filter((known) => known.place !== place);
  const places = tally.found === 0 ? others : [...others, tally];
  return after === undefined
    ? { ...progress, places, place: progress.place + 1, after: '' }
    : { ...progress, places, after };
}
