import { Failure } from '../kernel/failure/failure.js';
import type { DealerGroup, ReachableRooftops } from '../modules/tenancy/index.js';

/**
 * The rooftops that an answer is about: those the request names, else all within reach. Never a part of what was named: an
 * answer about the rest would hide that something was left out (DAP-CORE-030).
 * @param reachable what the decision leaves (`OperationCall.rooftops`).
 * @param requested as the input names them; absent means all within reach.
 * @returns ids in the order of the group, ascending. Empty only for a group without rooftops.
 * @throws Failure `grant.tenant_forbidden` for a rooftop outside reach, whether or not it exists, and when nothing of the
 *   group is within reach; `resource.not_found` for one within reach that does not exist.
 */
export function visibleRooftops(
  reachable: ReachableRooftops,
  group: DealerGroup,
  requested: readonly string[] | undefined,
): readonly string[] {
  const isReachable = (id: string): boolean => reachable === 'all' || reachable.includes(id);
  // Before anything is looked up (DAP-CORE-031).
  if (requested !== undefined && !requested.every(isReachable)) throw forbidden('rooftop_outside_grant');
  const ids = group.rooftops.map((rooftop) => rooftop.rooftopId).filter(isReachable);
  if (requested === undefined) {
    if (ids.length === 0 && reachable !== 'all') throw forbidden('no_rooftop_of_the_group_in_grant');
    return ids;
  }
  const wanted = new Set(requested);
  const found = ids.filter((id) => wanted.has(id));
  if (found.length !== wanted.size)
    throw new Failure('resource.not_found', { reason: 'not_found', auditReason: 'rooftop_unknown' });
  return found;
}

function forbidden(auditReason: string): Failure {
  return new Failure('grant.tenant_forbidden', { auditReason });
}
