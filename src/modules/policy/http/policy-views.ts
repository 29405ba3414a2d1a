import { rfc3339 } from '../../../kernel/time.js';
import type { PolicyVersion, PolicyVersionEntry } from '../../tenancy/index.js';
import { policyVersionName } from '../../tenancy/index.js';
import type { PolicyDraft } from '../app/policy-draft-store.js';
import type { CurrentPolicy } from '../app/policy-parts.js';

export function versionEntryView(entry: PolicyVersionEntry): object {
  return {
    version: entry.version,
    policy_version: policyVersionName(entry.version),
    content_hash: entry.contentHash,
    author: entry.author,
    reason: entry.reason,
    approval_id: entry.approvalId,
    approvers: entry.approvers,
    restores: entry.restores,
    created_at: rfc3339(entry.createdAt),
  };
}

export function versionView(version: PolicyVersion): object {
  return { ...versionEntryView(version), document: version.document };
}

/** What is in force; nobody wrote the built-in policy. */
export function currentView({ number, document, version }: CurrentPolicy): object {
  return version === undefined
    ? { version: number, policy_version: policyVersionName(number), document }
    : versionView(version);
}

export function draftEntryView(draft: PolicyDraft): object {
  return {
    draft_id: draft.draftId,
    revision: draft.revision,
    base_version: draft.baseVersion,
    author: draft.author,
    reason: draft.reason,
    published_as: draft.publishedAs,
    created_at: rfc3339(draft.createdAt),
    updated_at: rfc3339(draft.updatedAt),
  };
}

export function draftView(draft: PolicyDraft): object {
  return { ...draftEntryView(draft), document: draft.document };
}
