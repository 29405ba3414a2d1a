export { InventoryModule } from './inventory.module.js';
export { INVENTORY_READER, type InventoryReader } from './app/inventory-reader.js';
export { ReceiveFeedFile, type Receipt, type ReceivedFile } from './app/receive-feed-file.js';
export { RunFeedImport, type ImportHooks, type ImportOutcome } from './app/run-feed-import.js';
export { ReleaseHeldRun } from './app/release-held-run.js';
export { ApplyUnitEvent, type UnitEventAnswer } from './app/apply-unit-event.js';
export type { UnitEvent, UnitEventEffect } from './app/unit-event.js';
export type { ChangeOrigin } from './app/change-audit.js';
export {
  OrganizationInventory,
  type UnitFacts,
  type VehicleSelector,
} from './domain/read-model/organization-inventory.js';
export {
  normaliseQuery,
  queryHash,
  type SearchFilters,
  type SearchRequest,
} from './domain/read-model/normalise-query.js';
export {
  SORT_FIELDS,
  type NormalisedQuery,
  type SearchSort,
  type SortField,
} from './domain/read-model/normalised-query.js';
export type { SearchOutcome } from './domain/read-model/search-result.js';
export {
  availabilityBand,
  freshnessState,
  type AvailabilityBand,
  type AvailabilityObservation,
} from './domain/vehicle-record/freshness.js';
export { AVAILABILITY_STATUSES, CONDITIONS, Vehicle, VEHICLE_TYPES } from './domain/vehicle-schema.js';
