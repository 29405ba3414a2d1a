import { changeHashes } from '../../../kernel/change-hashes.js';
import { isMailAddress, isWebAddress } from '../../../kernel/delivery/outside-addresses.js';
import type { WebhookSecrets } from '../../../kernel/delivery/webhook-secrets.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newHoldNoticeTargetId } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { StaffRoster } from '../../staff/index.js';
import type { NoticeTarget } from '../domain/notice-target.js';
import { type HoldOrigin, type HoldParts, present, recordHoldChange } from './hold-parts.js';
import type { NoticeTargetStore, StoredNoticeTarget } from './notice-target-store.js';

export type NewNoticeTarget = Pick<NoticeTarget, 'kind' | 'address' | 'purpose' | 'personId'>;

export interface ManageNoticeTargetsParts extends Pick<HoldParts, 'unitOfWork' | 'audit' | 'clock'> {
  readonly targets: NoticeTargetStore;
  readonly roster: StaffRoster;
  readonly secrets: WebhookSecrets;
  /** Whether there is a folder for mail. */
  readonly mail: boolean;
}

/** Use cases: where an organization has notices of holds sent. */
export class ManageNoticeTargets {
  constructor(private readonly parts: ManageNoticeTargetsParts) {}

  /** By id, revoked ones included. */
  list(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StoredNoticeTarget[]> {
    const { unitOfWork, targets } = this.parts;
    return unitOfWork.withTenant(organizationId, (tx) => targets.list(tx, page));
  }

  /**
   * @returns the target, and the secret of a webhook, which can be had only here.
   * @throws Failure `input.invalid` for a target that nothing can be sent to, or a person who is not an active one of the
   *   organization; `state.conflict` when there are as many as there may be.
   */
  create(
    organizationId: string,
    named: NewNoticeTarget,
    origin: HoldOrigin,
  ): Promise<{ readonly target: NoticeTarget; readonly secret: string | undefined }> {
    const { unitOfWork, targets, secrets, clock, mail } = this.parts;
    checkAddress(named, mail);
    const createdAt = clock.now();
    const target: NoticeTarget = { ...named, targetId: newHoldNoticeTargetId(), createdAt, revokedAt: null };
    return unitOfWork.withTenant(organizationId, async (tx) => {
      await this.checkPerson(tx, named.personId);
      if ((await targets.active(tx)).length >= LIMITS.holdNoticeTargets.value)
        throw new Failure('state.conflict', { auditReason: 'too_many_targets' });
      await targets.insert(tx, target);
      await this.record(tx, origin, 'holds.notice_targets.create', null, target);
      return { target, secret: target.kind === 'webhook' ? secrets.secretOf(target.targetId) : undefined };
    });
  }

  /** Nothing more is sent there. What was revoked before stays as it was. @throws Failure `resource.not_found` */
  revoke(organizationId: string, targetId: string, origin: HoldOrigin): Promise<void> {
    const { unitOfWork, targets, clock } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await this.existing(tx, targetId);
      await targets.revoke(tx, targetId, clock.now());
      await this.record(tx, origin, 'holds.notice_targets.revoke', before, await this.existing(tx, targetId));
    });
  }

  private async existing(tx: TenantTransaction, targetId: string): Promise<NoticeTarget> {
    const found = present(await this.parts.targets.find(tx, targetId));
    const { kind, address, purpose, personId, createdAt, revokedAt } = found;
    return { targetId, kind, address, purpose, personId, createdAt, revokedAt };
  }

  private async checkPerson(tx: TenantTransaction, personId: string | null): Promise<void> {
    if (personId === null) return;
    const [person] = await this.parts.roster.standing(tx, [personId]);
    if (person?.active !== true) throw invalid('/person_id', 'must name an active person of the organization');
  }

  private record(
    tx: TenantTransaction,
    origin: HoldOrigin,
    operation: string,
    before: NoticeTarget | null,
    after: NoticeTarget,
  ): Promise<void> {
    const change = { operation, resourceIds: [after.targetId], hashes: changeHashes(before, after) };
    return recordHoldChange(this.parts, tx, origin, change);
  }
}

/** @throws Failure `input.invalid` */
function checkAddress({ kind, address }: NewNoticeTarget, mail: boolean): void {
  if (kind === 'mail' && !mail) throw invalid('/kind', 'needs AUDIT_MAIL_DIR, which this installation does not have');
  if (kind === 'mail' ? !isMailAddress(address) : !isWebAddress(address))
    throw invalid('/address', kind === 'mail' ? 'must be a mail address' : 'must be a URL without credentials');
}

const invalid = (pointer: string, explanation: string): Failure =>
  new Failure('input.invalid', { violations: [{ pointer, keyword: 'format', explanation }] });
