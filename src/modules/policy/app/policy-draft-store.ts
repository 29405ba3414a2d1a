import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { DealerPolicyDocument } from '../../tenancy/index.js';

/** A policy that is being written. Times are milliseconds. */
export interface PolicyDraft {
  readonly draftId: string;
  /** Raised with every replacement. */
  readonly revision: number;
  /** The version in force that it was written against; 0 for the built-in policy. */
  readonly baseVersion: number;
  readonly document: DealerPolicyDocument;
  /** Who wrote this revision. */
  readonly author: string;
  readonly reason: string;
  /** The version that it became; null while it is open. */
  readonly publishedAs: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Port: drafts of policies. */
export interface PolicyDraftStore {
  insert(tx: TenantTransaction, draft: PolicyDraft): Promise<void>;
  /** The draft; kept as it is until the transaction ends when it is asked for to be changed. */
  find(tx: TenantTransaction, draftId: string, purpose: 'read' | 'change'): Promise<PolicyDraft | undefined>;
  update(tx: TenantTransaction, draft: PolicyDraft): Promise<void>;
  /** Drafts whose ids come before, newest first. */
  list(
    tx: TenantTransaction,
    page: { readonly before?: string; readonly limit: number },
  ): Promise<readonly PolicyDraft[]>;
}
