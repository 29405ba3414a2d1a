import type { OrganizationInventory } from '../domain/read-model/organization-inventory.js';

/** Port: what an organization publishes, in memory. */
export interface InventoryReader {
  /**
   * The published inventory as of about now: the first call loads it, later ones answer at once from memory, also while a
   * newer version is being built and while the database is away (decision record 0008).
   * @throws Failure `resource.not_found` for an organization that does not exist, `upstream.unavailable` when the database
   *   is away and nothing is loaded.
   */
  open(organizationId: string): Promise<OrganizationInventory>;
}

export const INVENTORY_READER = Symbol('InventoryReader');
