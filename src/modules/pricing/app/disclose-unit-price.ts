import { Failure } from '../../../kernel/failure/failure.js';
import type { PublishedUnit, PublishedUnitReader, WithheldReport } from '../../inventory/index.js';
import { disclosePrice } from '../domain/disclose-price.js';
import type { PricingDisclosure } from '../domain/disclosure-schema.js';
import type { DisclosureContext } from '../domain/price-facts.js';
import { priceFactsOf } from './price-facts-of.js';

/** Which unit, and what the request says about the buyer's situation. */
export interface UnitPriceQuestion extends DisclosureContext {
  readonly organizationId: string;
  readonly rooftopId: string;
  readonly vehicleId: string;
}

/** Discloses the price of one published unit, from its record and the settings of its rooftop. */
export class DiscloseUnitPrice {
  constructor(
    private readonly units: PublishedUnitReader,
    private readonly withheld: WithheldReport,
  ) {}

  /**
   * @param now milliseconds.
   * @throws Failure `pricing.incomplete` when the unit is withheld for its missing price, or when its parts are in several
   *   currencies; `pricing.eligibility_unverified`; `vehicle.not_found` for everything else that is not published;
   *   `upstream.unavailable` when the database is away and the record is not in memory.
   */
  async run(question: UnitPriceQuestion, now: number): Promise<PricingDisclosure> {
    const unit = await this.publishedUnit(question);
    return disclosePrice(priceFactsOf(question.organizationId, unit), question, now);
  }

  private async publishedUnit({ organizationId, rooftopId, vehicleId }: UnitPriceQuestion): Promise<PublishedUnit> {
    try {
      return await this.units.read(organizationId, rooftopId, { vehicleId });
    } catch (error) {
      const absent = error instanceof Failure && error.code === 'vehicle.not_found';
      if (absent && (await this.withheld.lacksPrice(organizationId, rooftopId, vehicleId)))
        throw new Failure('pricing.incomplete', { auditReason: 'price_unknown' });
      throw error;
    }
  }
}
