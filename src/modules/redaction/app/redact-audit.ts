import { hash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Approvals, ApprovalStatus, ApprovalSubject } from '../../../kernel/ports/approvals.js';
import { approvalPending } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, SupersededExports, TransactionalAudit } from '../../audit/index.js';
import { REDACTED_OPERATION } from '../../audit/index.js';
import type { Redaction, RedactionStore, RequestedRedaction } from './redaction-store.js';

export interface RedactAuditParts {
  readonly unitOfWork: UnitOfWork;
  readonly store: RedactionStore;
  readonly approvals: Approvals;
  readonly audit: TransactionalAudit;
  readonly exports: Pick<SupersededExports, 'record'>;
  readonly clock: Clock;
}

/** A redaction with what it did to exports. */
export interface CarriedOut extends Redaction {
  /** Ids of exports that held what was erased: they are handed out no more and their files go. */
  readonly supersededExports: readonly string[];
}

/**
 * Use case: erases who acted out of records of the audit trail, with a second person's approval. Records, their places and
 * the tree stay as they are: the tree holds commitments, and what could open them is destroyed (decision record 0041).
 * The person is never named: one of their records stands for them, so that neither the approval nor its record keeps what is
 * to be erased.
 */
export class RedactAudit {
  constructor(private readonly parts: RedactAuditParts) {}

  /**
   * While people are missing it is asked for, and calling again once they approved carries it out.
   * @throws Failure `resource.not_found` for a record that is not there or has no value left; `approval.pending`,
   *   `approval.denied`.
   */
  async run(organizationId: string, requested: RequestedRedaction, origin: ChangeOrigin): Promise<CarriedOut> {
    const outcome = await this.parts.unitOfWork.withTenant(organizationId, (tx) =>
      this.carryOut(tx, requested, origin),
    );
    if ('approvalId' in outcome) throw approvalPending(outcome, true);
    return outcome;
  }

  private async carryOut(
    tx: TenantTransaction,
    requested: RequestedRedaction,
    origin: ChangeOrigin,
  ): Promise<CarriedOut | ApprovalStatus> {
    const { approvals, store } = this.parts;
    const { eventId, scope, ground } = requested;
    const records = await store.count(tx, requested);
    if (records === 0) throw new Failure('resource.not_found', { reason: 'not_found' });
    const subject = subjectOf(tx.organizationId, requested);
    const asked = await approvals.request(tx, {
      ...subject,
      summary: `Erase actor and client of ${records} audit record(s): ${scope} of record ${eventId}, ground ${ground}`,
      requester: { actorKind: origin.actorKind, actor: origin.actor ?? 'unnamed' },
    });
    const resourceIds = [eventId, asked.approvalId];
    if (asked.state !== 'approved') {
      await this.record(tx, origin, { resourceIds, reason: 'approval_requested' });
      return asked;
    }
    await approvals.spend(tx, subject);
    const redaction = await store.redact(tx, origin.eventId, requested);
    if (redaction === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    await this.record(tx, origin, { resourceIds, reason: ground, afterHash: redaction.contentHash });
    const supersededExports = await this.parts.exports.record(tx, redaction.redactionId, origin);
    return { ...redaction, supersededExports };
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    change: { readonly resourceIds: readonly string[]; readonly reason: string; readonly afterHash?: string },
  ): Promise<void> {
    return this.parts.audit.recordInTransaction(tx, {
      ...origin,
      ...change,
      occurredAt: this.parts.clock.now(),
      organizationId: tx.organizationId,
      operation: REDACTED_OPERATION,
      profile: null,
      rooftopIds: [],
      decision: 'allow',
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
    });
  }
}

function subjectOf(organizationId: string, requested: RequestedRedaction): ApprovalSubject {
  const contentHash = hash('sha256', canonicalJson({ organizationId, ...requested }), 'hex');
  return { kind: 'audit.redact', resourceId: `audit/${requested.eventId}`, contentHash };
}
