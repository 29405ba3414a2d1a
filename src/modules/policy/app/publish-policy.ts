import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { ApprovalStatus } from '../../../kernel/ports/approvals.js';
import { approvalPending } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { DealerPolicyDocument, PolicyVersion } from '../../tenancy/index.js';
import { comparePolicies } from '../domain/compare-policies.js';
import { contentHashOf, publicationHashOf } from '../domain/policy-content.js';
import type { CurrentPolicy, PolicyOrigin, PolicyParts } from './policy-parts.js';
import {
  checkedDocument,
  currentPolicy,
  present,
  recordPolicyChange,
  requireNamed,
  rooftopsOf,
} from './policy-parts.js';

/** A policy that is to be in force, with where it comes from. */
interface Candidate {
  /** As approvals and audit records name it. */
  readonly resourceId: string;
  readonly operation: string;
  readonly document: DealerPolicyDocument;
  readonly author: string;
  readonly reason: string;
  readonly restores: number | null;
}

/** What is in force, and the rooftops that there are. */
interface InForce extends CurrentPolicy {
  readonly rooftopIds: readonly string[];
}

type Outcome = { readonly published: PolicyVersion } | { readonly waiting: ApprovalStatus };

/** Puts policies in force, each with the approval of a second person. */
export class PublishPolicy {
  constructor(private readonly parts: PolicyParts) {}

  /**
   * Publishes a draft. While people are missing it is asked for, and calling again once they approved carries it out.
   * @throws Failure `approval.pending`, `approval.denied`; `resource.not_found`, `input.invalid`; `input.precondition`, also for a
   *   draft that was published, or was written against a version that is no longer in force.
   */
  publishDraft(
    organizationId: string,
    draftId: string,
    expectedRevisions: readonly number[] | undefined,
    origin: PolicyOrigin,
  ): Promise<PolicyVersion> {
    return this.carryOut(organizationId, origin, async (tx, current) => {
      const draft = present(await this.parts.drafts.find(tx, draftId, 'change'));
      requireNamed(expectedRevisions, draft.revision);
      if (draft.publishedAs !== null) throw outdated('draft_published');
      if (draft.baseVersion !== current.number) throw outdated('draft_outdated');
      const { document, author, reason } = draft;
      const operation = 'policies.publish';
      const outcome = await this.approved(tx, origin, current, {
        resourceId: `policy/draft/${draftId}`,
        operation,
        document,
        author,
        reason,
        restores: null,
      });
      if ('published' in outcome)
        await this.parts.drafts.update(tx, { ...draft, publishedAs: outcome.published.version });
      return outcome;
    });
  }

  /**
   * Publishes an older version again: a new version with the same content.
   * @param requested `expectedVersions`: what the caller takes to be in force (If-Match).
   * @throws Failure as {@link publishDraft}, and `input.invalid` where the rooftops have changed so that it says nothing any more.
   */
  republish(
    organizationId: string,
    number: number,
    requested: { readonly reason: string; readonly expectedVersions: readonly number[] | undefined },
    origin: PolicyOrigin,
  ): Promise<PolicyVersion> {
    return this.carryOut(organizationId, origin, async (tx, current) => {
      const { document } = present(await this.parts.versions.find(tx, number));
      requireNamed(requested.expectedVersions, current.number);
      if (number === current.number) throw outdated('version_in_force');
      return this.approved(tx, origin, current, {
        resourceId: `policy/version/${number}`,
        operation: 'policies.republish',
        document,
        author: origin.actor,
        reason: requested.reason,
        restores: number,
      });
    });
  }

  /** One transaction; that people are missing is told after it committed, so that the request for them stays. */
  private async carryOut(
    organizationId: string,
    origin: PolicyOrigin,
    action: (tx: TenantTransaction, current: InForce) => Promise<Outcome>,
  ): Promise<PolicyVersion> {
    const rooftopIds = await rooftopsOf(this.parts, organizationId);
    const outcome = await this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.parts.versions.lock(tx);
      return action(tx, { ...(await currentPolicy(this.parts.versions, tx)), rooftopIds });
    });
    if ('waiting' in outcome) throw approvalPending(outcome.waiting, true);
    this.parts.directory.forget(organizationId);
    return outcome.published;
  }

  private async approved(
    tx: TenantTransaction,
    origin: PolicyOrigin,
    current: InForce,
    candidate: Candidate,
  ): Promise<Outcome> {
    const { resourceId, document } = candidate;
    checkedDocument(document, current.rooftopIds);
    const subject = {
      kind: 'policy.publish',
      resourceId,
      contentHash: publicationHashOf(document, current.number),
    } as const;
    const { length } = comparePolicies(current.document, document);
    const summary = `Policy of ${tx.organizationId}: ${resourceId} in place of version ${current.number}, ${length} difference(s)`;
    const asked = await this.parts.approvals.request(tx, { ...subject, summary, requester: requesterOf(origin) });
    if (asked.state !== 'approved') {
      await this.record(tx, origin, candidate, {
        resourceIds: [resourceId, asked.approvalId],
        reason: 'approval_requested',
        hashes: changeHashes(current.document, current.document), // what is in force stays as it is
      });
      return { waiting: asked };
    }
    return { published: await this.add(tx, origin, current, candidate, await this.parts.approvals.spend(tx, subject)) };
  }

  private async add(
    tx: TenantTransaction,
    origin: PolicyOrigin,
    current: InForce,
    candidate: Candidate,
    { approvalId, approvers }: ApprovalStatus,
  ): Promise<PolicyVersion> {
    const { document, author, reason, restores, resourceId } = candidate;
    const version: PolicyVersion = {
      version: current.number + 1,
      document,
      contentHash: contentHashOf(document),
      author,
      reason,
      approvalId,
      approvers,
      restores,
      createdAt: this.parts.clock.now(),
    };
    await this.parts.versions.add(tx, version);
    await this.record(tx, origin, candidate, {
      resourceIds: [`policy/${version.version}`, resourceId, approvalId],
      rooftopIds: current.rooftopIds,
      hashes: changeHashes(current.document, document),
    });
    return version;
  }

  private record(
    tx: TenantTransaction,
    origin: PolicyOrigin,
    { operation }: Candidate,
    change: Omit<Parameters<typeof recordPolicyChange>[3], 'operation'>,
  ): Promise<void> {
    return recordPolicyChange(this.parts, tx, origin, { operation, ...change });
  }
}

const requesterOf = ({ actorKind, actor }: PolicyOrigin): { actorKind: string; actor: string } => ({
  actorKind,
  actor,
});

/** What is there is no longer what the change was written for. */
const outdated = (auditReason: string): Failure =>
  new Failure('input.precondition', { reason: 'precondition_failed', auditReason });
