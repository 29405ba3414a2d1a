import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { WithheldPage, WithheldUnit, WithheldUnits } from './withheld-units.js';

/** What staff may look up about units that are kept back, and the one thing about them that an agent is told. */
export class WithheldReport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly units: WithheldUnits,
  ) {}

  /** In the order of vehicle ids. */
  list(organizationId: string, page: WithheldPage): Promise<readonly WithheldUnit[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.units.list(tx, page));
  }

  /**
   * Whether a unit of the rooftop is withheld for its missing price and for nothing else. Vehicle ids cannot be computed or
   * guessed (decision record 0007), so this tells no more than the one who knows the id was told before.
   * @throws Failure `upstream.unavailable` when the database is away.
   */
  async lacksPrice(organizationId: string, rooftopId: string, vehicleId: string): Promise<boolean> {
    const reason = await this.unitOfWork.withTenant(organizationId, (tx) =>
      this.units.reasonOf(tx, rooftopId, vehicleId),
    );
    return reason === 'price_unknown';
  }
}
