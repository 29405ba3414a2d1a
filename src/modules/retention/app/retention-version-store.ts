import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RetentionPolicyDocument } from '../domain/policy-document.js';

/** One version of an organization's retention policy, with where it came from. */
export interface StoredRetentionVersion {
  readonly version: number;
  /** Active is the highest. */
  readonly state: 'active' | 'retired';
  readonly policyId: string;
  readonly name: string;
  readonly document: RetentionPolicyDocument;
  /** SHA-256 of the canonical document, hex. */
  readonly contentHash: string;
  readonly draftId: string;
  readonly author: string;
  readonly reason: string;
  readonly approvalId: string;
  /** Persons who approved, in order. */
  readonly approvers: readonly string[];
  /** Milliseconds. */
  readonly activatedAt: number;
}

/** Port: versions of an organization's retention policy. They are only ever added. */
export interface RetentionVersionStore {
  active(tx: TenantTransaction): Promise<StoredRetentionVersion | undefined>;
  find(tx: TenantTransaction, version: number): Promise<StoredRetentionVersion | undefined>;
  /** Versions with a lower number, newest first. */
  list(
    tx: TenantTransaction,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly StoredRetentionVersion[]>;
  /**
   * Waits for batches of deletion under way, and lets no other begin before the transaction ends: none goes on with the rules
   * that it replaces. To be called first.
   */
  lock(tx: TenantTransaction): Promise<void>;
  add(tx: TenantTransaction, version: StoredRetentionVersion): Promise<void>;
}
