import { changeHashes } from '../../../kernel/change-hashes.js';
import { newHoldId } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { JournalledHold, RestoreJournal } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { rfc3339 } from '../../../kernel/time.js';
import { HoldRoot } from './hold-root.js';
import { hashedView, type LegalHold, type RequestedHold } from '../domain/legal-hold.js';
import { enqueueCount } from './enqueue-count.js';
import { type HoldOrigin, type HoldParts, present, recordHoldChange } from './hold-parts.js';

/**
 * Use case: places a legal hold. When it resolves, no covered record is deleted by any path after `placedAt` (decision record
 * 0043): the lock comes first, everything that looks comes in later statements.
 */
export class PlaceHold {
  constructor(
    private readonly parts: HoldParts & { readonly journal: RestoreJournal; readonly queue: JobQueue },
    private readonly most: number = LIMITS.holdRecordsAtOnce.value,
  ) {}

  /**
   * @returns the hold; without a count where it covers more than can be counted at once. Then a job counts it, and no deletion of
   *   the organization begins before that is done.
   * @throws Failure `limit.busy` when a deletion under way does not end in time, `upstream.unavailable` when the database is away
   *   or the journal cannot be written. Nothing is held then.
   */
  async run(organizationId: string, requested: RequestedHold, origin: HoldOrigin): Promise<LegalHold> {
    const hold = await this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.parts.holds.lockOutDeletions(tx);
      const placed = await this.place(tx, requested, origin);
      await this.parts.journal.append(
        { kind: 'hold.placed', organizationId, holdId: placed.holdId, content: journalled(placed) },
        tx,
      );
      await recordHoldChange(this.parts, tx, origin, {
        operation: 'holds.place',
        resourceIds: [placed.holdId],
        rooftopIds: placed.rooftopIds,
        hashes: changeHashes(null, hashedView(placed)),
      });
      return placed;
    });
    if (hold.count === null) await enqueueCount(this.parts.queue, organizationId, hold.holdId);
    return hold;
  }

  private async place(tx: TenantTransaction, requested: RequestedHold, { actor }: HoldOrigin): Promise<LegalHold> {
    const { holds } = this.parts;
    const placed = await holds.insert(tx, { ...requested, holdId: newHoldId(), placedBy: actor });
    const root = new HoldRoot();
    const listed = await holds.listAtOnce(tx, placed.holdId, this.most, (leaves) => root.add(leaves));
    if (!listed) return placed;
    return present(await holds.finishCount(tx, placed.holdId, root.count()));
  }
}

function journalled(hold: LegalHold): JournalledHold {
  const { matter, reason, rooftopIds, categories, subjects, recordIds, placedBy } = hold;
  const timeOf = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));
  const times = { from: timeOf(hold.from), until: timeOf(hold.until), placedAt: rfc3339(hold.placedAt) };
  return { matter, reason, rooftopIds, categories, subjects, recordIds, placedBy, ...times };
}
