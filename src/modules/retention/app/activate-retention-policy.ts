import { hash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { approvalPending, type ApprovalStatus } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { requireVersion, requireVersions, type ExpectedVersions } from '../../../kernel/precondition.js';
import { policyViolations } from '../domain/check-policy.js';
import { compareDocuments } from '../domain/compare-documents.js';
import {
  outdated,
  present,
  recordRetentionChange,
  type PolicyOrigin,
  type RetentionPolicyParts,
} from './policy-parts.js';
import type { RetentionDraft } from './retention-draft-store.js';
import type { StoredRetentionVersion } from './retention-version-store.js';

const OPERATION = 'retention.activate';
const NOTHING = { rules: [], rooftops: [] };

/** Makes a draft the active version, with the approval of two persons; the one before is retired by it. */
export class ActivateRetentionPolicy {
  constructor(private readonly parts: RetentionPolicyParts) {}

  /**
   * While people are missing it is asked for, and calling again once they approved carries it out. Batches of deletion that are
   * under way end before; none begins with the rules that are replaced after it has answered.
   * @throws Failure `approval.pending`, `approval.denied`; `resource.not_found`; `input.invalid` with everything that the policy
   *   may not say; `input.precondition`, also for a draft that was activated or written against a version that is retired.
   */
  async run(
    organizationId: string,
    draftId: string,
    expectedRevisions: ExpectedVersions,
    origin: PolicyOrigin,
  ): Promise<StoredRetentionVersion> {
    const expected = requireVersions(expectedRevisions);
    const { drafts, versions, places, unitOfWork } = this.parts;
    const outcome = await unitOfWork.withTenant(organizationId, async (tx) => {
      await versions.lock(tx);
      const draft = present(await drafts.find(tx, draftId, 'change'));
      requireVersion(expected, draft.revision);
      const active = await versions.active(tx);
      if (draft.activatedAs !== null) throw outdated('draft_activated');
      if (draft.baseVersion !== (active?.version ?? 0)) throw outdated('draft_outdated');
      const violations = policyViolations(draft.document, await places.of(tx));
      if (violations.length > 0) throw new Failure('input.invalid', { violations });
      return this.approved(tx, origin, draft, active);
    });
    if ('missing' in outcome) throw approvalPending(outcome, true);
    return outcome;
  }

  private async approved(
    tx: TenantTransaction,
    origin: PolicyOrigin,
    draft: RetentionDraft,
    active: StoredRetentionVersion | undefined,
  ): Promise<StoredRetentionVersion | ApprovalStatus> {
    const { approvals } = this.parts;
    const { draftId, policyId, name, document, baseVersion } = draft;
    const subject = {
      kind: 'retention.activate',
      resourceId: `retention/draft/${draftId}`,
      contentHash: sha256({ policyId, name, document, replaces: baseVersion }),
    } as const;
    const { length } = compareDocuments(active?.document ?? NOTHING, document);
    const summary = `Retention policy ${policyId} in place of version ${baseVersion}: ${length} rule(s) differ`;
    const requester = { actorKind: origin.actorKind, actor: origin.actor };
    const asked = await approvals.request(tx, { ...subject, summary, requester });
    if (asked.state !== 'approved') {
      await recordRetentionChange(this.parts, tx, origin, {
        operation: OPERATION,
        resourceIds: [subject.resourceId, asked.approvalId],
        reason: 'approval_requested',
        hashes: changeHashes(active ?? null, active ?? null), // what is active stays as it is
      });
      return asked;
    }
    return this.add(tx, origin, draft, active, await approvals.spend(tx, subject));
  }

  private async add(
    tx: TenantTransaction,
    origin: PolicyOrigin,
    draft: RetentionDraft,
    active: StoredRetentionVersion | undefined,
    { approvalId, approvers }: ApprovalStatus,
  ): Promise<StoredRetentionVersion> {
    const { policyId, name, document, draftId, author, reason } = draft;
    const version: StoredRetentionVersion = {
      ...{ policyId, name, document, draftId, author, reason, approvalId, approvers },
      version: (active?.version ?? 0) + 1,
      state: 'active',
      contentHash: sha256(document),
      activatedAt: this.parts.clock.now(),
    };
    await this.parts.versions.add(tx, version);
    await this.parts.drafts.update(tx, { ...draft, activatedAs: version.version });
    await recordRetentionChange(this.parts, tx, origin, {
      operation: OPERATION,
      resourceIds: [`retention/${policyId}@${version.version}`, `retention/draft/${draftId}`, approvalId],
      hashes: changeHashes(active ?? null, version),
    });
    return version;
  }
}

const sha256 = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex');
