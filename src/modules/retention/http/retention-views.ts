import type { Violation } from '../../../kernel/failure/violation.js';
import { rfc3339 } from '../../../kernel/time.js';
import type { RetentionDraft } from '../app/retention-draft-store.js';
import type { StoredRetentionVersion } from '../app/retention-version-store.js';
import type { StartingProfile } from '../domain/starting-profiles.js';

export function versionEntryView(version: StoredRetentionVersion): object {
  return {
    policy_id: version.policyId,
    name: version.name,
    version: version.version,
    state: version.state,
    content_hash: version.contentHash,
    author: version.author,
    reason: version.reason,
    approval_id: version.approvalId,
    approvers: version.approvers,
    activated_at: rfc3339(version.activatedAt),
  };
}

export const versionView = (version: StoredRetentionVersion): object => ({
  ...versionEntryView(version),
  document: version.document,
});

export function draftEntryView(draft: RetentionDraft): object {
  return {
    draft_id: draft.draftId,
    revision: draft.revision,
    base_version: draft.baseVersion,
    policy_id: draft.policyId,
    name: draft.name,
    author: draft.author,
    reason: draft.reason,
    activated_as: draft.activatedAs,
    created_at: rfc3339(draft.createdAt),
    updated_at: rfc3339(draft.updatedAt),
  };
}

/** @param violations for which activation would refuse it now; absent where it was not asked */
export function draftView(draft: RetentionDraft, violations?: readonly Violation[]): object {
  const view = { ...draftEntryView(draft), document: draft.document };
  return violations === undefined ? view : { ...view, refused_for: violations };
}

export function profileEntryView({ profileId, title, description, asOf, notice }: StartingProfile): object {
  return { profile_id: profileId, title, description, as_of: asOf, notice };
}

export const profileView = (profile: StartingProfile): object => ({
  ...profileEntryView(profile),
  document: profile.document,
});
