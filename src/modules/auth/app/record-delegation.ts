import { hash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newDelegationId } from '../../../kernel/ids.js';
import type { Approvals, ApprovalStatus, ApprovalSubject } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { DealerDirectory } from '../../tenancy/index.js';
import { delegationContent, type GroupDelegation } from '../domain/grant-record.js';
import type { AccessChanges } from './access-change.js';
import type { GrantStore } from './grant-store.js';
import { checkRequestedAccess } from './requested-rooftops.js';

export type RequestedDelegation = Pick<GroupDelegation, 'grantee' | 'rooftops' | 'scopes' | 'expiresAt'>;

/** A delegation as it was recorded: in force, or a draft with the approval that it waits for. */
export interface RecordedDelegation {
  readonly delegation: GroupDelegation;
  readonly approval: ApprovalStatus | undefined;
}

export interface RecordDelegationParts {
  readonly unitOfWork: UnitOfWork;
  readonly store: GrantStore;
  readonly directory: DealerDirectory;
  readonly approvals: Approvals;
  readonly changes: AccessChanges;
  readonly clock: Clock;
}

/**
 * Use cases: records that a subject may be granted more than rooftops one by one (DAP security profile §4). One that covers
 * the whole group is a draft until a second person approved it and somebody puts it in force (decision record 0033).
 */
export class RecordDelegation {
  constructor(private readonly parts: RecordDelegationParts) {}

  /** @throws Failure `input.invalid` for unknown rooftops or an end in the past. */
  async run(organizationId: string, requested: RequestedDelegation, origin: ChangeOrigin): Promise<RecordedDelegation> {
    const { directory, clock, store, unitOfWork } = this.parts;
    const { rooftops, expiresAt } = requested;
    const rooftopIds = rooftops === 'all' ? [] : rooftops;
    await checkRequestedAccess(directory, organizationId, { rooftopIds, expiresAt }, clock.now());
    const delegation: GroupDelegation = {
      ...requested,
      delegationId: newDelegationId(),
      issuer: origin.actor ?? 'unnamed',
      revokedAt: null,
      inForceAt: rooftops === 'all' ? null : clock.now(),
    };
    return unitOfWork.withTenant(organizationId, async (tx) => {
      await store.insertDelegation(tx, delegation);
      const approval = rooftops === 'all' ? await this.requestApproval(tx, delegation, origin) : undefined;
      const resourceIds = [delegation.delegationId, ...(approval === undefined ? [] : [approval.approvalId])];
      const hashes = changeHashes(null, delegation);
      await this.parts.changes.record(tx, origin, { operation: 'delegations.create', rooftopIds, resourceIds, hashes });
      return { delegation, approval };
    });
  }

  /**
   * Puts a draft in force, which spends its approval; what is in force already stays as it is.
   * @throws Failure `resource.not_found`, `state.conflict` for one that has ended, `approval.pending`, `approval.denied`.
   */
  activate(organizationId: string, delegationId: string, origin: ChangeOrigin): Promise<GroupDelegation> {
    const { unitOfWork, store, approvals, changes, clock } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const draft = await store.findDelegation(tx, delegationId, 'change');
      if (draft === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      const now = clock.now();
      if (draft.revokedAt !== null) throw new Failure('state.conflict', { auditReason: 'delegation_revoked' });
      if (draft.expiresAt <= now) throw new Failure('state.conflict', { auditReason: 'delegation_expired' });
      const inForce = { ...draft, inForceAt: draft.inForceAt ?? now };
      const hashes = changeHashes(draft, inForce);
      if (draft.inForceAt !== null) {
        await changes.record(tx, origin, { operation: 'delegations.activate', resourceIds: [delegationId], hashes });
        return draft;
      }
      const { approvalId } = await approvals.spend(tx, subjectOf(organizationId, draft));
      await store.putDelegationInForce(tx, delegationId, now);
      const resourceIds = [delegationId, approvalId];
      await changes.record(tx, origin, { operation: 'delegations.activate', resourceIds, hashes });
      return inForce;
    });
  }

  private requestApproval(
    tx: TenantTransaction,
    delegation: GroupDelegation,
    { actorKind, actor }: ChangeOrigin,
  ): Promise<ApprovalStatus> {
    const { grantee, scopes, expiresAt } = delegation;
    const end = new Date(expiresAt).toISOString();
    return this.parts.approvals.request(tx, {
      ...subjectOf(tx.organizationId, delegation),
      summary: `${grantee} may be granted every rooftop, also those to come: ${scopes.join(', ') || 'no scopes'}, until ${end}`,
      requester: { actorKind, actor: actor ?? 'unnamed' },
    });
  }
}

function subjectOf(organizationId: string, delegation: GroupDelegation): ApprovalSubject {
  const contentHash = hash('sha256', canonicalJson(delegationContent(organizationId, delegation)), 'hex');
  return { kind: 'delegation.record', resourceId: delegation.delegationId, contentHash };
}
