/** Where every change of what an organization publishes is announced; the payload is the organization's id. */
export const INVENTORY_CHANNEL = 'forecourt_inventory';
