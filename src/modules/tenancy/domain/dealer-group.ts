import type { DealerPolicy, ServedSettings } from './policy-in-force.js';

export interface PostalAddress {
  readonly lines: readonly string[];
  readonly locality: string;
  readonly region?: string;
  readonly postal_code?: string;
  readonly country: string;
}

export interface ContactPoint {
  readonly department: 'sales' | 'internet_sales' | 'service' | 'parts' | 'general';
  readonly channel: 'phone' | 'email' | 'web';
  readonly value: string;
  readonly public?: boolean;
}

export interface HoursInterval {
  readonly day: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
  readonly opens: string;
  readonly closes: string;
}

/** A selling location. Ids, names and addresses are `public_business` data; `idSeed` never leaves the service. */
export interface Rooftop {
  readonly rooftopId: string;
  readonly name: string;
  readonly legalName: string | null;
  readonly website: string | null;
  readonly address: PostalAddress;
  /** IANA zone. */
  readonly timezone: string;
  readonly currency: string;
  readonly departments: readonly ('sales' | 'internet_sales' | 'service' | 'parts')[];
  readonly contacts: readonly ContactPoint[];
  readonly hours: readonly HoursInterval[];
  readonly languages: readonly string[];
  /** What the rooftop decided, made stricter by the policy in force. */
  readonly settings: ServedSettings;
  /** 16 secret bytes from which vehicle ids are derived (kernel/ids.ts). */
  readonly idSeed: Uint8Array;
  /** Milliseconds. */
  readonly updatedAt: number;
}

/** An organization with its rooftops, sorted by rooftop id, and the policy under which it is served. */
export interface DealerGroup {
  readonly organizationId: string;
  readonly name: string;
  readonly legalName: string | null;
  readonly website: string | null;
  readonly rooftops: readonly Rooftop[];
  /** In force for all of it. */
  readonly policy: DealerPolicy;
  readonly updatedAt: number;
}

const idsOf = new WeakMap<DealerGroup, readonly string[]>();

/** Ids of a group's rooftops, ascending. Asked for with every call, so made once for each group that was read. */
export function rooftopIdsOf(group: DealerGroup): readonly string[] {
  let ids = idsOf.get(group);
  if (ids === undefined) idsOf.set(group, (ids = group.rooftops.map((rooftop) => rooftop.rooftopId)));
  return ids;
}
