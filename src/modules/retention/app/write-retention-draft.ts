import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newRetentionDraftId } from '../../../kernel/ids.js';
import { requireVersion, requireVersions, type ExpectedVersions } from '../../../kernel/precondition.js';
import { formViolations } from '../domain/check-policy.js';
import type { RetentionPolicyDocument } from '../domain/policy-document.js';
import {
  outdated,
  present,
  recordRetentionChange,
  type PolicyOrigin,
  type RetentionPolicyParts,
} from './policy-parts.js';
import type { RetentionDraft } from './retention-draft-store.js';

export interface DraftedRetention {
  readonly policyId: string;
  readonly name: string;
  /** The whole document as it came. */
  readonly document: unknown;
  /** Why, in the words of the person. */
  readonly reason: string;
}

/** Drafts retention policies. Nothing follows a draft, so one may say what activation would refuse. */
export class WriteRetentionDraft {
  constructor(private readonly parts: RetentionPolicyParts) {}

  /** @throws Failure `input.invalid` with every violation of the document's form. */
  create(organizationId: string, drafted: DraftedRetention, origin: PolicyOrigin): Promise<RetentionDraft> {
    const { policyId, name, reason } = drafted;
    const document = formed(drafted.document);
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const now = this.parts.clock.now();
      const draft: RetentionDraft = {
        ...{ policyId, name, document, reason },
        draftId: newRetentionDraftId(),
        revision: 1,
        baseVersion: (await this.parts.versions.active(tx))?.version ?? 0,
        author: origin.actor,
        activatedAs: null,
        createdAt: now,
        updatedAt: now,
      };
      await this.parts.drafts.insert(tx, draft);
      await recordRetentionChange(this.parts, tx, origin, {
        operation: 'retention.create_draft',
        resourceIds: [draft.draftId],
        hashes: changeHashes(null, draft),
      });
      return draft;
    });
  }

  /**
   * Replaces a draft, all of it, and writes it against the version that is active now. What was approved of it before does not
   * count for what it says now.
   * @throws Failure as {@link create}, `resource.not_found`, `input.precondition`, also for a draft that was activated.
   */
  replace(
    organizationId: string,
    draftId: string,
    drafted: DraftedRetention & { readonly expectedRevisions: ExpectedVersions },
    origin: PolicyOrigin,
  ): Promise<RetentionDraft> {
    const { policyId, name, reason } = drafted;
    const expected = requireVersions(drafted.expectedRevisions);
    const document = formed(drafted.document);
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = present(await this.parts.drafts.find(tx, draftId, 'change'));
      requireVersion(expected, before.revision);
      if (before.activatedAs !== null) throw outdated('draft_activated');
      const draft: RetentionDraft = {
        ...before,
        ...{ policyId, name, document, reason },
        revision: before.revision + 1,
        baseVersion: (await this.parts.versions.active(tx))?.version ?? 0,
        author: origin.actor,
        updatedAt: this.parts.clock.now(),
      };
      await this.parts.drafts.update(tx, draft);
      await recordRetentionChange(this.parts, tx, origin, {
        operation: 'retention.replace_draft',
        resourceIds: [draftId],
        hashes: changeHashes(before, draft),
      });
      return draft;
    });
  }
}

function formed(document: unknown): RetentionPolicyDocument {
  const violations = formViolations(document).map((v) => ({ ...v, pointer: `/document${v.pointer}` }));
  if (violations.length > 0) throw new Failure('input.invalid', { violations });
  return document as RetentionPolicyDocument;
}
