import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newPolicyDraftId } from '../../../kernel/ids.js';
import type { PolicyDraft } from './policy-draft-store.js';
import type { PolicyOrigin, PolicyParts } from './policy-parts.js';
import {
  checkedDocument,
  currentPolicy,
  present,
  recordPolicyChange,
  requireNamed,
  rooftopsOf,
} from './policy-parts.js';

export interface DraftedPolicy {
  /** The whole document as it came. */
  readonly document: unknown;
  /** Why, in the words of the person. */
  readonly reason: string;
}

/** Drafts a policy. Nothing that is served follows a draft. */
export class WritePolicyDraft {
  constructor(private readonly parts: PolicyParts) {}

  /** @throws Failure `input.invalid` with every violation of the document. */
  async create(organizationId: string, drafted: DraftedPolicy, origin: PolicyOrigin): Promise<PolicyDraft> {
    const document = checkedDocument(drafted.document, await rooftopsOf(this.parts, organizationId));
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const now = this.parts.clock.now();
      const { number: baseVersion } = await currentPolicy(this.parts.versions, tx);
      const draft: PolicyDraft = {
        draftId: newPolicyDraftId(),
        revision: 1,
        baseVersion,
        document,
        author: origin.actor,
        reason: drafted.reason,
        publishedAs: null,
        createdAt: now,
        updatedAt: now,
      };
      await this.parts.drafts.insert(tx, draft);
      await recordPolicyChange(this.parts, tx, origin, {
        operation: 'policies.create_draft',
        resourceIds: [draft.draftId],
        hashes: changeHashes(null, draft),
      });
      return draft;
    });
  }

  /**
   * Replaces a draft, all of it, and writes it against the version that is in force now. What was approved of it before
   * does not count for what it says now.
   * @throws Failure as {@link create}, `resource.not_found`, `input.precondition`, also for a draft that was published.
   */
  async replace(
    organizationId: string,
    draftId: string,
    drafted: DraftedPolicy & { readonly expectedRevisions: readonly number[] | undefined },
    origin: PolicyOrigin,
  ): Promise<PolicyDraft> {
    const document = checkedDocument(drafted.document, await rooftopsOf(this.parts, organizationId));
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = present(await this.parts.drafts.find(tx, draftId, 'change'));
      requireNamed(drafted.expectedRevisions, before.revision);
      if (before.publishedAs !== null)
        throw new Failure('input.precondition', { reason: 'precondition_failed', auditReason: 'draft_published' });
      const draft: PolicyDraft = {
        ...before,
        revision: before.revision + 1,
        baseVersion: (await currentPolicy(this.parts.versions, tx)).number,
        document,
        author: origin.actor,
        reason: drafted.reason,
        updatedAt: this.parts.clock.now(),
      };
      await this.parts.drafts.update(tx, draft);
      await recordPolicyChange(this.parts, tx, origin, {
        operation: 'policies.replace_draft',
        resourceIds: [draftId],
        hashes: changeHashes(before, draft),
      });
      return draft;
    });
  }
}
