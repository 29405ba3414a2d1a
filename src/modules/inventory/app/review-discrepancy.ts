import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { publishedDiscrepancies, type StatedDiscrepancy } from '../domain/used-vehicle/discrepancies.js';
import { shownUnit } from '../domain/vehicle-record/withhold-fields.js';
import type { ListedUnit } from '../domain/listed-unit.js';
import type { ChangeAudit, ChangeOrigin } from './change-audit.js';
import type { DiscrepancyReview, DiscrepancyReviewStore, ReviewStatus } from './discrepancy-review-store.js';
import { publicationPolicyOf } from './publication-policy.js';
import type { PublicationStore } from './publication-store.js';
import type { PublishedUnitReader } from './published-unit-reader.js';

/** What sources disagree on now, and the newest review of that fact, if there is one, of these statements or of earlier ones. */
export interface OpenDiscrepancy extends StatedDiscrepancy {
  readonly review: DiscrepancyReview | null;
}

export interface RequestedReview {
  readonly rooftopId: string;
  readonly vehicleId: string;
  readonly field: string;
  /** Of the statements that the author has seen. */
  readonly contentHash: string;
  readonly status: ReviewStatus;
  readonly reason: string;
}

export interface ReviewStores {
  readonly reviews: DiscrepancyReviewStore;
  readonly publication: PublicationStore;
  readonly audit: ChangeAudit;
}

/**
 * Use cases: what sources disagree on, and that the dealer looked at it (`dealer_reviewed`). Neither source is chosen: the
 * entry stays, with all that was said (DAP-UV-020, decision record 0058).
 */
export class ReviewDiscrepancy {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly units: PublishedUnitReader,
    private readonly stores: ReviewStores,
    private readonly clock: Clock,
  ) {}

  /** Of one published unit, as answers show it. @throws Failure `vehicle.not_found`. */
  async list(organizationId: string, rooftopId: string, vehicleId: string): Promise<readonly OpenDiscrepancy[]> {
    const { vin, stated } = await this.statedBy(organizationId, rooftopId, vehicleId);
    const reviews = await this.unitOfWork.withTenant(organizationId, (tx) =>
      this.stores.reviews.newest(tx, rooftopId, vin),
    );
    return stated.map((one) => withReview(one, newestOf(reviews, one.entry.field)));
  }

  /**
   * Holds for what the sources say now; what they say later is open again.
   * @throws Failure `vehicle.not_found`; `resource.not_found` where sources do not disagree on the field;
   *   `input.precondition` when they say something else than the author has seen.
   */
  async run(organizationId: string, requested: RequestedReview, origin: ChangeOrigin): Promise<OpenDiscrepancy> {
    const { rooftopId, vehicleId, field, contentHash, status, reason } = requested;
    const { vin, stated } = await this.statedBy(organizationId, rooftopId, vehicleId);
    const one = stated.find(({ entry }) => entry.field === field);
    if (one === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    if (one.contentHash !== contentHash) throw new Failure('input.precondition', { reason: 'precondition_failed' });
    const { reviews, publication, audit } = this.stores;
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      await publication.lock(tx); // one review after the other
      const before = newestOf(await reviews.newest(tx, rooftopId, vin), field);
      const said = { rooftopId, vin, field, status, contentHash, reason };
      const times = { version: (before?.version ?? 0) + 1, author: origin.actor, createdAt: this.clock.now() };
      const review = { ...said, ...times };
      await reviews.insert(tx, review);
      await publication.announce(tx);
      await audit.record(tx, origin, {
        operation: 'discrepancies.review',
        rooftopIds: [rooftopId],
        resourceIds: [vehicleId],
        reason: status,
        hashes: changeHashes(null, review),
      });
      return withReview(one, review);
    });
  }

  private async statedBy(
    organizationId: string,
    rooftopId: string,
    vehicleId: string,
  ): Promise<{ readonly vin: string; readonly stated: readonly StatedDiscrepancy[] }> {
    const { unit, rooftop, source } = await this.units.read(organizationId, rooftopId, { vehicleId });
    const shown = shownUnit(unit, publicationPolicyOf(rooftop.settings).withheldFields) as ListedUnit;
    return { vin: unit.vin, stated: publishedDiscrepancies(shown, source) };
  }
}

const newestOf = (reviews: readonly DiscrepancyReview[], field: string): DiscrepancyReview | null =>
  reviews.find((review) => review.field === field) ?? null;

/** Whether it is reviewed follows from the newest review alone, and only where that is of these statements. */
function withReview({ entry, contentHash }: StatedDiscrepancy, review: DiscrepancyReview | null): OpenDiscrepancy {
  const isReviewed = review?.status === 'dealer_reviewed' && review.contentHash === contentHash;
  return { entry: { ...entry, status: isReviewed ? 'dealer_reviewed' : 'unresolved' }, contentHash, review };
}
