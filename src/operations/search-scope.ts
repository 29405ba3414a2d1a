import { actorOfStaff } from '../kernel/caller.js';
import { cursorContextHash } from '../kernel/cursor/cursor-sealer.js';
import type { DealerGroup, Rooftop, WithheldField } from '../modules/tenancy/index.js';
import { WITHHOLDABLE_FIELDS } from '../modules/tenancy/index.js';
import type { OperationCall } from './operation.js';
import { visibleRooftops } from './visible-rooftops.js';

/** The rooftops that a search looks at, and what follows from them. */
export interface SearchScope {
  /** Null for all of the group. */
  readonly rooftopIds: readonly string[] | null;
  /** Currencies that the rooftops sell in. */
  readonly currencies: ReadonlySet<string>;
  /** The same by name. */
  readonly searched: readonly string[];
  /** Fields that none of them publishes: what asks for those cannot be evaluated. */
  readonly unpublished: ReadonlySet<WithheldField>;
  /** What cursors are bound to beside the query: caller, organization and the rooftops by name (DAP §6.5). */
  readonly contextHash: Buffer;
}

const wholeGroups = new WeakMap<DealerGroup, SearchScope>();

/**
 * The scope of a search; that of an anonymous caller of the whole group is kept with the group.
 * @throws Failure as `visibleRooftops`.
 */
export function searchScopeOf(
  call: OperationCall,
  group: DealerGroup,
  requested: readonly string[] | undefined,
): SearchScope {
  const isPublicWhole = call.caller.kind === 'anonymous' && call.rooftops === 'all' && requested === undefined;
  const known = isPublicWhole ? wholeGroups.get(group) : undefined;
  if (known !== undefined) return known;
  const scope = makeScope(call, group, requested);
  if (isPublicWhole) wholeGroups.set(group, scope);
  return scope;
}

function makeScope(call: OperationCall, group: DealerGroup, requested: readonly string[] | undefined): SearchScope {
  const rooftopIds = visibleRooftops(call.rooftops, group, requested);
  const wanted = new Set(rooftopIds);
  const rooftops = group.rooftops.filter((rooftop) => wanted.has(rooftop.rooftopId));
  return {
    rooftopIds: call.rooftops === 'all' && requested === undefined ? null : rooftopIds,
    currencies: new Set(rooftops.map((rooftop) => rooftop.currency)),
    searched: rooftopIds,
    unpublished: new Set(WITHHOLDABLE_FIELDS.filter((field) => rooftops.every((rooftop) => withholds(rooftop, field)))),
    contextHash: cursorContextHash(subjectOf(call), call.organizationId, rooftopIds),
  };
}

/** A rooftop may keep its inventory age to itself without any policy. */
function withholds({ settings }: Rooftop, field: WithheldField): boolean {
  if (field === 'inventory_age') return !settings.publish_inventory_age;
  return settings.withheld_fields?.includes(field) === true;
}

/** Who pages, in one string that no other caller has. A renewed grant under another id is another caller. */
function subjectOf({ caller }: OperationCall): string {
  if (caller.kind === 'agent') return JSON.stringify(['agent', caller.subject, caller.grant.grantId]);
  if (caller.kind === 'key' || caller.kind === 'person') return JSON.stringify(Object.values(actorOfStaff(caller)));
  return caller.kind === 'system' ? JSON.stringify(['system', caller.name]) : 'public';
}
