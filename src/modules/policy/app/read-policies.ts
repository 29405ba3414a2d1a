import type { PolicyVersion, PolicyVersionEntry } from '../../tenancy/index.js';
import { BUILT_IN_POLICY } from '../../tenancy/index.js';
import type { PolicyDifference } from '../domain/compare-policies.js';
import { comparePolicies } from '../domain/compare-policies.js';
import type { PolicyDraft } from './policy-draft-store.js';
import type { CurrentPolicy, PolicyParts } from './policy-parts.js';
import { currentPolicy, present } from './policy-parts.js';

/** Shows what is in force, what was before, and what is being written. */
export class ReadPolicies {
  constructor(private readonly parts: Pick<PolicyParts, 'unitOfWork' | 'versions' | 'drafts'>) {}

  current(organizationId: string): Promise<CurrentPolicy> {
    const { unitOfWork, versions } = this.parts;
    return unitOfWork.withTenant(organizationId, (tx) => currentPolicy(versions, tx));
  }

  /** @throws Failure `resource.not_found` */
  version(organizationId: string, number: number): Promise<PolicyVersion> {
    const { unitOfWork, versions } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => present(await versions.find(tx, number)));
  }

  /** Newest first, without the documents. */
  versions(
    organizationId: string,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly PolicyVersionEntry[]> {
    const { unitOfWork, versions } = this.parts;
    return unitOfWork.withTenant(organizationId, (tx) => versions.list(tx, page));
  }

  /** @throws Failure `resource.not_found` */
  draft(organizationId: string, draftId: string): Promise<PolicyDraft> {
    const { unitOfWork, drafts } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => present(await drafts.find(tx, draftId, 'read')));
  }

  /** Newest first. */
  drafts(
    organizationId: string,
    page: { readonly before?: string; readonly limit: number },
  ): Promise<readonly PolicyDraft[]> {
    const { unitOfWork, drafts } = this.parts;
    return unitOfWork.withTenant(organizationId, (tx) => drafts.list(tx, page));
  }

  /** What a draft would change of what is in force. @throws Failure `resource.not_found` */
  draftDifferences(organizationId: string, draftId: string): Promise<readonly PolicyDifference[]> {
    const { unitOfWork, drafts, versions } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const { document } = present(await drafts.find(tx, draftId, 'read'));
      return comparePolicies((await currentPolicy(versions, tx)).document, document);
    });
  }

  /** What one version changed of another; 0 is the built-in policy. @throws Failure `resource.not_found` */
  versionDifferences(organizationId: string, number: number, against: number): Promise<readonly PolicyDifference[]> {
    const { unitOfWork, versions } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const after = present(await versions.find(tx, number));
      const before = against === 0 ? BUILT_IN_POLICY : present(await versions.find(tx, against)).document;
      return comparePolicies(before, after.document);
    });
  }
}
