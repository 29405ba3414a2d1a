import { changeHashes } from '../../../../kernel/change-hashes.js';
import { isMailAddress, isWebAddress } from '../../../../kernel/delivery/outside-addresses.js';
import type { WebhookSecrets } from '../../../../kernel/delivery/webhook-secrets.js';
import { Failure } from '../../../../kernel/failure/failure.js';
import { newAuditTargetId } from '../../../../kernel/ids.js';
import type { TenantTransaction, UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../../kernel/time.js';
import type { AuditTarget } from '../../domain/audit-target.js';
import { parseVerifierKey } from '../../domain/log/signed-note.js';
import type { ChangeOrigin, TransactionalAudit } from '../transactional-audit.js';
import type { AuditTargetStore, StoredTarget } from './audit-target-store.js';

export type NewAuditTarget = Pick<AuditTarget, 'kind' | 'address' | 'witnessKey' | 'timeZone'>;

export interface ManageAuditTargetsParts {
  readonly unitOfWork: UnitOfWork;
  readonly store: AuditTargetStore;
  readonly audit: TransactionalAudit;
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
    const { unitOfWork, store, secrets, clock, mail } = this.parts;
    checkTarget(named, mail);
    const target: AuditTarget = { ...named, targetId: newAuditTargetId(), createdAt: clock.now(), revokedAt: null };
    return unitOfWork.withTenant(organizationId, async (tx) => {
      if ((await store.count(tx)) >= TARGETS_MAX)
        throw new Failure('state.conflict', { auditReason: 'too_many_targets' });
      await store.insert(tx, target);
      await this.record(tx, origin, 'audit_targets.create', null, target);
      return { target, secret: target.kind === 'webhook' ? secrets.secretOf(target.targetId) : undefined };
    });
  }

  /** What was revoked before stays as it was. @throws Failure `resource.not_found`. */
  revoke(organizationId: string, targetId: string, origin: ChangeOrigin): Promise<void> {
    const { unitOfWork, store, clock } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await this.existing(tx, targetId);
      await store.revoke(tx, targetId, clock.now());
      await this.record(tx, origin, 'audit_targets.revoke', before, await this.existing(tx, targetId));
    });
  }

  private async existing(tx: TenantTransaction, targetId: string): Promise<AuditTarget> {
    const found = await this.parts.store.find(tx, targetId);
    if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    const { kind, address, witnessKey, timeZone, createdAt, revokedAt } = found;
    return { targetId, kind, address, witnessKey, timeZone, createdAt, revokedAt };
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    operation: string,
    before: AuditTarget | null,
    after: AuditTarget,
  ): Promise<void> {
    return this.parts.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt: this.parts.clock.now(),
      organizationId: tx.organizationId,
      operation,
      profile: null,
      rooftopIds: [],
      resourceIds: [after.targetId],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      ...changeHashes(before, after),
    });
  }
}

/** @throws Failure `input.invalid`. */
function checkTarget({ kind, address, witnessKey, timeZone }: NewAuditTarget, mail: boolean): void {
  if (kind === 'mail' && !mail) throw invalid('/kind', 'needs AUDIT_MAIL_DIR, which this installation does not have');
  if (kind === 'mail' ? !isMailAddress(address) : !isWebAddress(address))
    throw invalid('/address', kind === 'mail' ? 'must be a mail address' : 'must be a URL without credentials');
  if (kind === 'witness' && parseVerifierKey(witnessKey ?? '')?.kind !== 'cosignature')
    throw invalid('/witness_key', 'must be the verifier key of a witness: name+id+key');
  if (kind !== 'witness' && witnessKey !== null) throw invalid('/witness_key', 'belongs to a witness');
  if (!isTimeZone(timeZone)) throw invalid('/time_zone', 'must be an IANA time zone');
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const invalid = (pointer: string, explanation: string): Failure =>
  new Failure('input.invalid', { violations: [{ pointer, keyword: 'format', explanation }] });
