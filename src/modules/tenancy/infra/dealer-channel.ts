/** Where every change of an organization, its rooftops or their settings is announced; the payload is the organization's id. */
export const DEALER_CHANNEL = 'forecourt_dealers';
