import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { DealerPolicyDocument } from '../domain/dealer-policy.js';

/** A policy as it was published, with who wrote it, why, and who approved it. Never changed. */
export interface PolicyVersion {
  readonly version: number;
  readonly document: DealerPolicyDocument;
  /** SHA-256 of the canonical document, hex. */
  readonly contentHash: string;
  readonly author: string;
  readonly reason: string;
  readonly approvalId: string;
  /** Persons who approved it, in order. */
  readonly approvers: readonly string[];
  /** The older version that this one publishes again; null for a new document. */
  readonly restores: number | null;
  /** Milliseconds. */
  readonly createdAt: number;
}

export type PolicyVersionEntry = Omit<PolicyVersion, 'document'>;

/** Port: every policy that was ever published. The highest version is in force. */
export interface PolicyVersions {
  /** The version in force; undefined while none was ever published, and the built-in policy holds. */
  current(tx: TenantTransaction): Promise<PolicyVersion | undefined>;
  find(tx: TenantTransaction, version: number): Promise<PolicyVersion | undefined>;
  /** Versions below `before`, newest first. */
  list(
    tx: TenantTransaction,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly PolicyVersionEntry[]>;
  /** Keeps others from publishing until the transaction ends, so that versions follow one another. */
  lock(tx: TenantTransaction): Promise<void>;
  /** Puts the next version in force, and announces it to every process when the transaction commits. */
  add(tx: TenantTransaction, version: PolicyVersion): Promise<void>;
}

export const POLICY_VERSIONS = Symbol('PolicyVersions');
