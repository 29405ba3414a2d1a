import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RetentionPolicyVersion, RetentionRule, RooftopTightening } from '../domain/retention-policy.js';

/** What a retention policy says. */
export interface RetentionPolicyDocument {
  readonly rules: readonly RetentionRule[];
  readonly rooftops: readonly RooftopTightening[];
}

/** A version with where it came from. */
export interface StoredRetentionVersion extends RetentionPolicyVersion {
  readonly state: 'active' | 'retired';
  readonly draftId: string;
  readonly author: string;
  readonly reason: string;
  readonly approvalId: string;
  /** Persons who approved, in order. */
  readonly approvers: readonly string[];
  readonly activatedAt: number;
}

/** Port: versions of an organization's retention policy. The highest is active; they are only ever added. */
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
