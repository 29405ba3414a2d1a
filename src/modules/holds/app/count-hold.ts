import { setImmediate as otherWork } from 'node:timers/promises';
import { changeHashes } from '../../../kernel/change-hashes.js';
import { newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import { HoldRoot } from './hold-root.js';
import { hashedView } from '../domain/legal-hold.js';
import type { HoldListing } from './hold-listing.js';
import { type HoldParts, recordHoldChange } from './hold-parts.js';

export type CountOutcome = 'counted' | 'counted before' | 'stopped';

/**
 * Use case: counts a hold that covers more than its answer could wait for. Until it is done no deletion of the organization
 * begins, so that what it covers can only become more. Killed at any point and run again it ends with the same list, and what was
 * added meanwhile.
 */
export class CountHold {
  constructor(
    private readonly parts: HoldParts,
    private readonly listing: HoldListing,
  ) {}

  /** @param signal aborted when the process stops: the next attempt goes on from there. */
  async run(organizationId: string, holdId: string, signal: AbortSignal): Promise<CountOutcome> {
    const { unitOfWork, holds } = this.parts;
    const before = await unitOfWork.withTenant(organizationId, (tx) => holds.find(tx, holdId, 'read'));
    if (before === undefined || before.count !== null) return 'counted before';
    if (!(await this.listing.write(organizationId, holdId, signal))) return 'stopped';
    const root = new HoldRoot();
    for await (const leaves of this.listing.leaves(organizationId, holdId)) {
      root.add(leaves);
      await otherWork();
      if (signal.aborted) return 'stopped';
    }
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const counted = await holds.finishCount(tx, holdId, root.count());
      if (counted === undefined) return 'stopped';
      const eventId = newRequestId();
      const origin = { eventId, traceId: traceIdOfRequest(eventId), surface: 'worker', client: null } as const;
      await recordHoldChange(
        this.parts,
        tx,
        { ...origin, actorKind: 'system', actor: 'holds.count' },
        {
          operation: 'holds.count',
          resourceIds: [holdId],
          rooftopIds: counted.rooftopIds,
          hashes: changeHashes(hashedView(before), hashedView(counted)),
        },
      );
      return 'counted';
    });
  }
}
