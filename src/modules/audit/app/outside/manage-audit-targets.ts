import type { WebhookSecrets } from '../../../../kernel/delivery/webhook-secrets.js';
import { Failure } from '../../../../kernel/failure/failure.js';
import { newAuditTargetId } from '../../../../kernel/ids.js';
import type { UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../../kernel/time.js';
import type { AuditTarget } from '../../domain/audit-target.js';
import type { ChangeOrigin } from '../transactional-audit.js';
import type { AuditTargetStore, StoredTarget } from './audit-target-store.js';
import { checkTarget, type NewAuditTarget } from './check-target.js';
import { existingTarget } from './existing-target.js';
import type { TargetAudit } from './target-audit.js';

export interface ManageAuditTargetsParts {
  readonly unitOfWork: UnitOfWork;
  readonly store: AuditTargetStore;
  readonly audit: TargetAudit;
  readonly secrets: WebhookSecrets;
  readonly clock: Clock;
  /** Whether there is a folder for mail. */
  readonly mail: boolean;
}

const TARGETS_MAX = 20;

/** Use cases: where an organization keeps the states of its audit log outside. */
export class ManageAuditTargets {
  constructor(private readonly parts: ManageAuditTargetsParts) {}

  /** By id, revoked ones included. */
  list(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StoredTarget[]> {
    const { unitOfWork, store } = this.parts;
    return unitOfWork.withTenant(organizationId, (tx) => store.list(tx, page));
  }

  /**
   * @returns the target, and the secret of a webhook, which can be had only here.
   * @throws Failure `input.invalid` for a target that nothing can be sent to, `state.conflict` when there are twenty already.
   */
  create(
    organizationId: string,
    named: NewAuditTarget,
    origin: ChangeOrigin,
  ): Promise<{ readonly target: AuditTarget; readonly secret: string | undefined }> {
    const { unitOfWork, store, secrets, audit, clock, mail } = this.parts;
    checkTarget(named, mail);
    const target: AuditTarget = {
      ...named,
      ...{ targetId: newAuditTargetId(), version: 1, createdAt: clock.now(), revokedAt: null },
      ...{ secretNumber: 1, previousSecretUntil: null },
    };
    return unitOfWork.withTenant(organizationId, async (tx) => {
      if ((await store.count(tx)) >= TARGETS_MAX)
        throw new Failure('state.conflict', { auditReason: 'too_many_targets' });
      await store.insert(tx, target);
      await audit.changed(tx, origin, 'audit_targets.create', null, target);
      return { target, secret: target.kind === 'webhook' ? secrets.secretOf(target.targetId) : undefined };
    });
  }

  /** @throws Failure `resource.not_found`. */
  get(organizationId: string, targetId: string): Promise<StoredTarget> {
    const { unitOfWork, store } = this.parts;
    return unitOfWork.withTenant(organizationId, (tx) => existingTarget(store, tx, targetId));
  }

  /** What was revoked before stays as it was. @throws Failure `resource.not_found`. */
  revoke(organizationId: string, targetId: string, origin: ChangeOrigin): Promise<void> {
    const { unitOfWork, store, audit, clock } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await existingTarget(store, tx, targetId);
      await store.revoke(tx, targetId, clock.now());
      await audit.changed(tx, origin, 'audit_targets.revoke', before, await existingTarget(store, tx, targetId));
    });
  }
}
