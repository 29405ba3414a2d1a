import { hash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Approvals, ApprovalStatus, ApprovalSubject } from '../../../kernel/ports/approvals.js';
import { approvalPending } from '../../../kernel/ports/approvals.js';
import type { RestoreJournal } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { rfc3339 } from '../../../kernel/time.js';
import { hashedView, type LegalHold } from '../domain/legal-hold.js';
import { type HoldOrigin, type HoldParts, present, recordHoldChange } from './hold-parts.js';

/**
 * Use case: releases a hold, with a reason and a second person's approval. It goes on binding everything for the cooling period,
 * and after that every run that was approved before the release (`hold_binds`, migration 19).
 */
export class ReleaseHold {
  constructor(
    private readonly parts: HoldParts & { readonly approvals: Approvals; readonly journal: RestoreJournal },
    /** Milliseconds. */
    private readonly coolingMs: number,
  ) {}

  /**
   * While people are missing it is asked for, and calling again with the same reason once they approved carries it out.
   * @throws Failure `approval.pending`, `approval.denied`; `resource.not_found`; `state.conflict` for a hold that is released, or
   *   counted yet; `upstream.unavailable` when the journal cannot be written.
   */
  async run(organizationId: string, holdId: string, reason: string, origin: HoldOrigin): Promise<LegalHold> {
    const outcome = await this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const hold = releasable(present(await this.parts.holds.find(tx, holdId, 'change')));
      return this.carryOut(tx, hold, reason, origin);
    });
    if ('approvalId' in outcome) throw approvalPending(outcome, true);
    return outcome;
  }

  private async carryOut(
    tx: TenantTransaction,
    hold: LegalHold,
    reason: string,
    origin: HoldOrigin,
  ): Promise<LegalHold | ApprovalStatus> {
    const { approvals } = this.parts;
    const subject = subjectOf(hold, reason);
    const asked = await approvals.request(tx, {
      ...subject,
      summary: `Release ${hold.holdId}, which covered ${hold.count?.covered ?? 0} record(s) when it was counted`,
      requester: { actorKind: origin.actorKind, actor: origin.actor },
    });
    const change = { operation: 'holds.release', resourceIds: [hold.holdId, asked.approvalId] };
    const before = hashedView(hold);
    if (asked.state !== 'approved') {
      const hashes = changeHashes(before, before); // it goes on as it was
      await recordHoldChange(this.parts, tx, origin, { ...change, reason: 'approval_requested', hashes });
      return asked;
    }
    await approvals.spend(tx, subject);
    const released = await this.release(tx, hold, reason, origin);
    const hashes = changeHashes(before, hashedView(released));
    await recordHoldChange(this.parts, tx, origin, { ...change, rooftopIds: hold.rooftopIds, hashes });
    return released;
  }

  private async release(
    tx: TenantTransaction,
    { holdId }: LegalHold,
    reason: string,
    { actor }: HoldOrigin,
  ): Promise<LegalHold> {
    const { holds, journal } = this.parts;
    const released = await holds.release(tx, holdId, { by: actor, reason, coolingMs: this.coolingMs });
    if (released?.release == null) throw new Failure('state.conflict', { auditReason: 'hold_released' });
    const { releasedBy, releasedAt, freeFrom } = released.release;
    const times = { releasedAt: rfc3339(releasedAt), freeFrom: rfc3339(freeFrom) };
    const content = { releasedBy, releaseReason: reason, ...times };
    await journal.append({ kind: 'hold.released', organizationId: tx.organizationId, holdId, content }, tx);
    return released;
  }
}

/** @throws Failure `state.conflict` */
function releasable(hold: LegalHold): LegalHold {
  if (hold.release !== null) throw new Failure('state.conflict', { auditReason: 'hold_released' });
  if (hold.count === null) throw new Failure('state.conflict', { retryAfterMs: 5000, auditReason: 'hold_counting' });
  return hold;
}

function subjectOf(hold: LegalHold, reason: string): ApprovalSubject {
  const contentHash = hash('sha256', canonicalJson({ hold: hashedView(hold), reason }), 'hex');
  return { kind: 'hold.release', resourceId: `hold/${hold.holdId}`, contentHash };
}
