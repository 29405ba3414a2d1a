import type { Violation } from '../../../kernel/failure/violation.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { policyViolations } from '../domain/check-policy.js';
import { compareDocuments, type RuleDifference } from '../domain/compare-documents.js';
import type { RetentionPolicyDocument } from '../domain/policy-document.js';
import { present, type RetentionPolicyParts } from './policy-parts.js';
import type { RetentionDraft } from './retention-draft-store.js';
import type { StoredRetentionVersion } from './retention-version-store.js';

const NOTHING: RetentionPolicyDocument = { rules: [], rooftops: [] };

/** Shows which policy is active, which were before, and what is being written. */
export class ReadRetentionPolicies {
  constructor(private readonly parts: RetentionPolicyParts) {}

  /** @throws Failure `resource.not_found` while none is active */
  active(organizationId: string): Promise<StoredRetentionVersion> {
    return this.reading(organizationId, async (tx) => present(await this.parts.versions.active(tx)));
  }

  /** @throws Failure `resource.not_found` */
  version(organizationId: string, number: number): Promise<StoredRetentionVersion> {
    return this.reading(organizationId, async (tx) => present(await this.parts.versions.find(tx, number)));
  }

  /** Newest first. */
  versions(
    organizationId: string,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly StoredRetentionVersion[]> {
    return this.reading(organizationId, (tx) => this.parts.versions.list(tx, page));
  }

  /** The draft, and everything for which activation would refuse it now. @throws Failure `resource.not_found` */
  draft(
    organizationId: string,
    draftId: string,
  ): Promise<{ readonly draft: RetentionDraft; readonly violations: readonly Violation[] }> {
    return this.reading(organizationId, async (tx) => {
      const draft = present(await this.parts.drafts.find(tx, draftId, 'read'));
      return { draft, violations: policyViolations(draft.document, await this.parts.places.of(tx)) };
    });
  }

  /** Newest first. */
  drafts(
    organizationId: string,
    page: { readonly before?: string; readonly limit: number },
  ): Promise<readonly RetentionDraft[]> {
    return this.reading(organizationId, (tx) => this.parts.drafts.list(tx, page));
  }

  /** What a draft would change of what is active. @throws Failure `resource.not_found` */
  draftDifferences(organizationId: string, draftId: string): Promise<readonly RuleDifference[]> {
    return this.reading(organizationId, async (tx) => {
      const { document } = present(await this.parts.drafts.find(tx, draftId, 'read'));
      return compareDocuments((await this.parts.versions.active(tx))?.document ?? NOTHING, document);
    });
  }

  /** What one version changed of another; 0 says nothing. @throws Failure `resource.not_found` */
  differences(organizationId: string, number: number, against: number): Promise<readonly RuleDifference[]> {
    return this.reading(organizationId, async (tx) => {
      const after = present(await this.parts.versions.find(tx, number)).document;
      const before = against === 0 ? NOTHING : present(await this.parts.versions.find(tx, against)).document;
      return compareDocuments(before, after);
    });
  }

  private reading<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.parts.unitOfWork.withTenant(organizationId, work);
  }
}
