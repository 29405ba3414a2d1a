import type { Grant } from '../kernel/caller.js';
import type { DealerGroup } from '../modules/tenancy/index.js';
import { grantOpens } from '../modules/tenancy/index.js';
import type { Operation } from './operation.js';

/** A profile with its exact tool and scope sets (DAP catalog). */
export interface OfferedProfile {
  readonly profile: string;
  readonly tools: readonly string[];
  readonly scopes: readonly string[];
}

/** The operation table: every tool there is, by canonical name, in the order in which it is listed. */
export class OperationCatalog {
  private readonly byName: ReadonlyMap<string, Operation>;
  readonly all: readonly Operation[];

  /** @throws Error when two operations share a name. */
  constructor(operations: readonly Operation[]) {
    this.all = operations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.byName = new Map(this.all.map((o) => [o.name, o]));
    if (this.byName.size !== operations.length) throw new Error('two operations share a name');
  }

  find(name: string): Operation | undefined {
    return this.byName.get(name);
  }

  /** What a group offers, in the order of the list. */
  offeredBy(group: DealerGroup): readonly Operation[] {
    return this.all.filter((operation) => operation.offered?.(group) ?? true);
  }

  /**
   * What the holder of a grant finds in its list: exactly what a call of it is not refused for scope or profile. Without a
   * grant it is all that the group offers, protected tools included, so that a client knows what to ask a grant for.
   */
  offeredTo(group: DealerGroup, grant: Grant | undefined): readonly Operation[] {
    const offered = this.offeredBy(group);
    return grant === undefined ? offered : offered.filter((operation) => grantOpens(grant, operation));
  }

  /**
   * Profiles whose whole tool set a group offers, and the grant opens where there is one, with the tools and scopes that the
   * catalog of DAP gives them.
   */
  profilesOf(group: DealerGroup, grant?: Grant): readonly OfferedProfile[] {
    const names = new Set(this.offeredTo(group, grant).map((operation) => operation.name));
    const profiles = Object.entries(PROFILE_TOOLS).filter(([, { tools }]) => tools.every((tool) => names.has(tool)));
    return profiles.map(([profile, { tools, scopes }]) => ({ profile, tools, scopes }));
  }
}

/** DAP 0.1 profiles of this gateway's field: exact tool and scope sets (DAP catalog). */
const PROFILE_TOOLS: Readonly<
  Record<string, { readonly tools: readonly string[]; readonly scopes: readonly string[] }>
> = {
  'dealeragent.discovery/0.1': { tools: ['dealeragent.discovery.get_manifest', 'dealeragent.dealer.get'], scopes: [] },
  'dealeragent.inventory.read/0.1': {
    tools: ['dealeragent.inventory.search', 'dealeragent.inventory.get_vehicle'],
    scopes: ['dealeragent:inventory:read'],
  },
  'dealeragent.inventory.availability/0.1': {
    tools: ['dealeragent.inventory.verify_availability'],
    scopes: ['dealeragent:inventory:read'],
  },
  'dealeragent.pricing.disclosure/0.1': {
    tools: ['dealeragent.pricing.get_disclosure'],
    scopes: ['dealeragent:pricing:read'],
  },
  'dealeragent.used-vehicle.read/0.1': {
    tools: ['dealeragent.inventory.get_used_vehicle_details'],
    scopes: ['dealeragent:inventory:read'],
  },
};
