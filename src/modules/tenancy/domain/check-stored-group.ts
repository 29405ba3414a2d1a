import type { DealerGroup } from './dealer-group.js';
import { readDealerPolicy } from './policy-in-force.js';

/**
 * Holds a group against what serving it relies on, before it is put in force: it may come from a file. Null stands for an
 * organization that is not served.
 * @throws Error naming what is wrong.
 */
export function checkStoredGroup(content: unknown, organizationId: string): DealerGroup | null {
  if (content === null) return null;
  const group = content as DealerGroup;
  if (typeof group !== 'object' || group.organizationId !== organizationId || typeof group.name !== 'string')
    throw new Error('the group is missing or another one');
  readDealerPolicy(group.policy.number, group.policy.document);
  if (!Array.isArray(group.rooftops) || !group.rooftops.every(isServable)) throw new Error('a rooftop is malformed');
  return group;
}

function isServable({ rooftopId, currency, timezone, settings, idSeed }: DealerGroup['rooftops'][number]): boolean {
  return (
    [rooftopId, currency, timezone].every((text) => typeof text === 'string' && text !== '') &&
    typeof settings === 'object' &&
    typeof settings.freshness_sla_seconds === 'object' &&
    idSeed instanceof Uint8Array &&
    idSeed.length === 16
  );
}
