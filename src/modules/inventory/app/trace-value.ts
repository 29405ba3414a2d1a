import { Failure } from '../../../kernel/failure/failure.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { PublicationOverview, PublishedUnits, UnitOrigin } from './published-units.js';

/** Answers where a published value comes from: file, line and column (decision record 0013). */
export class TraceValue {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly published: PublishedUnits,
  ) {}

  /** @throws Failure `resource.not_found` when nothing of that id is served. */
  async run(organizationId: string, vehicleId: string): Promise<UnitOrigin> {
    const origin = await this.unitOfWork.withTenant(organizationId, (tx) => this.published.findOrigin(tx, vehicleId));
    if (origin === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    return origin;
  }

  /** What each rooftop serves, and since when. */
  overview(organizationId: string): Promise<PublicationOverview> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.published.overview(tx));
  }
}
