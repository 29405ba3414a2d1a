import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RetentionPolicyDocument } from '../domain/policy-document.js';

/** A retention policy that is being written. Times are milliseconds. */
export interface RetentionDraft {
  readonly draftId: string;
  /** Raised with every replacement. */
  readonly revision: number;
  /** The version in force that it was written against; 0 for none. */
  readonly baseVersion: number;
  readonly policyId: string;
  readonly name: string;
  readonly document: RetentionPolicyDocument;
  /** Who wrote this revision. */
  readonly author: string;
  readonly reason: string;
  /** The version that it became; null while it is open. */
  readonly activatedAs: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Port: drafts of retention policies. */
export interface RetentionDraftStore {
  insert(tx: TenantTransaction, draft: RetentionDraft): Promise<void>;
  /** The draft; kept as it is until the transaction ends when it is asked for to be changed. */
  find(tx: TenantTransaction, draftId: string, purpose: 'read' | 'change'): Promise<RetentionDraft | undefined>;
  update(tx: TenantTransaction, draft: RetentionDraft): Promise<void>;
  /** Drafts whose ids come before, newest first. */
  list(
    tx: TenantTransaction,
    page: { readonly before?: string; readonly limit: number },
  ): Promise<readonly RetentionDraft[]>;
}
