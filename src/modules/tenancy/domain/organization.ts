/** Whether an organization is served. Off-boarding is final; its id is never used again. */
export const ORGANIZATION_STATES = ['active', 'suspended', 'offboarded'] as const;
export type OrganizationState = (typeof ORGANIZATION_STATES)[number];

/** What an organization says of itself, and what a new rooftop of it gets where it says nothing. */
export interface OrganizationProfile {
  readonly name: string;
  readonly legalName: string | null;
  readonly website: string | null;
  /** IANA zone. */
  readonly timezone: string | null;
  readonly currency: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
}

/** An organization as staff see it. Times are milliseconds. */
export interface Organization extends OrganizationProfile {
  readonly organizationId: string;
  readonly state: OrganizationState;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One line of the operator's list. */
export type OrganizationEntry = Pick<
  Organization,
  'organizationId' | 'name' | 'state' | 'version' | 'createdAt' | 'updatedAt'
>;

const NEXT: Readonly<Record<OrganizationState, readonly OrganizationState[]>> = {
  active: ['suspended'],
  suspended: ['active', 'offboarded'],
  offboarded: [],
};

/** Suspension can be undone and comes first: nobody is off-boarded by a slip. */
export const mayBecome = (from: OrganizationState, to: OrganizationState): boolean => NEXT[from].includes(to);
