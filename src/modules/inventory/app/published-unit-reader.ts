import type { Rooftop } from '../../tenancy/index.js';
import type { ListedUnit } from '../domain/listed-unit.js';
import type { UnitFacts, VehicleSelector } from '../domain/read-model/organization-inventory.js';
import type { RowSource } from '../domain/vehicle-record/vehicle-context.js';

/** A published unit with everything that its source said, for answers that need more than its serialised vehicle. */
export interface PublishedUnit {
  readonly facts: UnitFacts;
  /** The record as published: unit events have already set its price. */
  readonly unit: ListedUnit;
  readonly rooftop: Rooftop;
  readonly source: RowSource;
}

/** Port: published units one by one. What is not published cannot be reached through it. */
export interface PublishedUnitReader {
  /**
   * @throws Failure `vehicle.not_found` (absent, unpublished or of another rooftop, all alike), `vehicle.ambiguous`,
   *   `upstream.unavailable` when the database is away and the record is not in memory.
   */
  read(organizationId: string, rooftopId: string, selector: VehicleSelector): Promise<PublishedUnit>;
}

export const PUBLISHED_UNIT_READER = Symbol('PublishedUnitReader');
