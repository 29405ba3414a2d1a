import { Failure } from '../../../../kernel/failure/failure.js';
import { LIMITS } from '../../../../kernel/limits.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../../kernel/precondition.js';
import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import { signersOf } from '../../domain/target-signers.js';
import type { ChangeOrigin } from '../transactional-audit.js';
import type { StoredTarget, TargetChange } from './audit-target-store.js';
import { checkTarget } from './check-target.js';
import { existingTarget } from './existing-target.js';
import type { ManageAuditTargetsParts } from './manage-audit-targets.js';

/** Which target is changed, as whoever changes it has seen it (If-Match), and by whom. */
export interface TargetToChange {
  readonly organizationId: string;
  readonly targetId: string;
  readonly expected: ExpectedVersions;
  readonly origin: ChangeOrigin;
}

/** Use cases: a target gets another address, time zone or secret; what was delivered stays delivered (decision record 0062). */
export class ChangeAuditTarget {
  constructor(private readonly parts: ManageAuditTargetsParts) {}

  /**
   * @throws Failure `input.precondition`, also for a target that was revoked; `resource.not_found`; `input.invalid` for an address or
   *   zone that its kind cannot have.
   */
  change(named: TargetToChange, { address, timeZone }: Partial<TargetChange>): Promise<StoredTarget> {
    const { store, clock, mail } = this.parts;
    return this.changing(named, 'audit_targets.change', (tx, before) => {
      const next = { address: address ?? before.address, timeZone: timeZone ?? before.timeZone };
      checkTarget({ ...before, ...next }, mail);
      return store.change(tx, before, next, clock.now());
    });
  }

  /**
   * @param overlapSeconds how long messages carry the signature of the secret before as well; 0: not at all
   * @returns the target and its secret, which can be had only here.
   * @throws Failure as `change` does; `input.precondition` for a target that has no secret
   */
  async rotateSecret(
    named: TargetToChange,
    overlapSeconds: number = LIMITS.webhookSecretOverlapDefaultSeconds.value,
  ): Promise<{ readonly target: StoredTarget; readonly secret: string }> {
    const { store, secrets, clock } = this.parts;
    const until = overlapSeconds === 0 ? null : clock.now() + overlapSeconds * 1000;
    const target = await this.changing(named, 'audit_targets.rotate_secret', (tx, before) => {
      if (before.kind !== 'webhook') throw refused('target_has_no_secret');
      return store.rotate(tx, before, until);
    });
    return { target, secret: secrets.secretOf(signersOf(target, clock.now())[0]) };
  }

  private async changing(
    { organizationId, targetId, expected, origin }: TargetToChange,
    operation: string,
    change: (tx: TenantTransaction, before: StoredTarget) => Promise<boolean>,
  ): Promise<StoredTarget> {
    const versions = requireVersions(expected);
    const { unitOfWork, store, audit } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await existingTarget(store, tx, targetId);
      requireVersion(versions, before.version);
      if (before.revokedAt !== null) throw refused('target_revoked');
      if (!(await change(tx, before))) throw refused('changed_meanwhile');
      const after = await existingTarget(store, tx, targetId);
      await audit.changed(tx, origin, operation, before, after);
      return after;
    });
  }
}

const refused = (auditReason: string): Failure =>
  new Failure('input.precondition', { reason: 'precondition_failed', auditReason });
