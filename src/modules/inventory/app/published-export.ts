import type { ExportedUnit } from '../domain/protocol-csv/exported-unit.js';

/** Everything that an organization publishes at one moment. */
export interface ExportedInventory {
  /** Equal for equal content, in every process. */
  readonly identity: string;
  /**
   * The units by rooftop and vehicle id, in batches.
   * @throws Failure `upstream.unavailable` when the database goes away on the way.
   */
  batches(): AsyncIterable<readonly ExportedUnit[]>;
}

/** Port: reads the published inventory as a whole. What is not published cannot be reached through it. */
export interface PublishedExport {
  /** @throws Failure `resource.not_found` for an organization that is not there, `upstream.unavailable`. */
  open(organizationId: string): Promise<ExportedInventory>;
}

export const PUBLISHED_EXPORT = Symbol('PublishedExport');
