export { InventoryAdminModule, InventoryJobsModule, InventoryModule } from './inventory.module.js';
export { registerUploadParsers } from './http/upload-parsers.js';
export { INVENTORY_READER, type InventoryReader } from './app/inventory-reader.js';
export { findPublishedUnit } from './app/find-published-unit.js';
export { PUBLISHED_UNIT_READER, type PublishedUnit, type PublishedUnitReader } from './app/published-unit-reader.js';
export { PUBLISHED_EXPORT, type ExportedInventory, type PublishedExport } from './app/published-export.js';
export { PROTOCOL_CSV_HEADER, protocolCsvLine } from './domain/protocol-csv/write-protocol-csv.js';
export type { ConditionalAdjustment, HistoryReportRef, ListedUnit, RequiredCharge } from './domain/listed-unit.js';
export { eventSource } from './domain/vehicle-record/row-attribution.js';
export { includesRequiredCharges, requiredChargesOf } from './domain/vehicle-record/required-charges.js';
export { usedVehicleDetails } from './domain/used-vehicle/used-vehicle-details.js';
export { UsedVehicleDetails } from './domain/used-vehicle/used-vehicle-details-schema.js';
export { publicationPolicyOf } from './app/publication-policy.js';
export type { RowSource } from './domain/vehicle-record/vehicle-context.js';
export { ReceiveFeedFile, type Receipt, type ReceivedFile } from './app/receive-feed-file.js';
export { RunFeedImport, type ImportHooks, type ImportOutcome } from './app/run-feed-import.js';
export { CreateFeed, type RequestedFeed } from './app/create-feed.js';
export { FeedReports } from './app/feed-reports.js';
export type { Feed, FeedSource } from './app/feed.js';
export type { FeedRun, NumberedRunRow, RunOrigin, RunState } from './app/feed-run.js';
export type { PublicationOverview, UnitOrigin } from './app/published-units.js';
export { TraceValue } from './app/trace-value.js';
export { WithheldReport } from './app/withheld-report.js';
export type { ChangeOrigin } from './app/change-audit.js';
export type { OrganizationInventory, UnitFacts, VehicleSelector } from './domain/read-model/organization-inventory.js';
export {
  normaliseQuery,
  queryHash,
  type SearchFilters,
  type SearchRequest,
} from './domain/read-model/normalise-query.js';
export type { NormalisedQuery, SearchSort, SortField } from './domain/read-model/normalised-query.js';
export { millimetresOf } from './domain/read-model/distance.js';
export type { SearchOutcome } from './domain/read-model/search-result.js';
export { CERTIFICATION_TYPES, HISTORY_REPORT_STATUSES } from './domain/used-vehicle/used-vehicle-vocabulary.js';
export { CONDITIONS, Vehicle, VEHICLE_TYPES } from './domain/vehicle-schema.js';
export { checkFeed, type FeedReport } from './domain/feed/check-feed.js';
export type { FeedBytes } from './domain/feed/feed-bytes.js';
export type { FeedReading, FeedSettings, RooftopBinding } from './domain/feed/feed-settings.js';
