import type { CategoryCutoffs, RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** What a run does with one category by one action. The same for preview and run: cutoffs are of the moment of the preview. */
export interface Disposal {
  readonly runId: string;
  readonly cutoffs: CategoryCutoffs;
  /** Of an action that leaves the records: by which the same run deletes some of them before. Absent: it deletes none. */
  readonly end?: CategoryCutoffs;
}

/** Some records of one category that are over, in the order in which the run takes them. */
export interface Slice {
  /** Which part of the category: a table. */
  readonly part: string;
  /** Keyed hashes (HMAC-SHA-256 under the run's key) of all records that are over, 32 bytes each, one after the other. */
  readonly hashes: Uint8Array;
  /** Places among them of those that a hold keeps, ascending. */
  readonly heldAt: readonly number[];
  /** And of those that something else still needs: they go later in the run when that goes in it, too. */
  readonly usedAt: readonly number[];
  /** The others, which go, by rooftop; `(none)`, `(several)` and `(unknown)` are no rooftops. */
  readonly rooftops: Readonly<Record<string, number>>;
  /** Records that each hold keeps. One that several holds keep counts for each of them. */
  readonly holds: Readonly<Record<string, number>>;
  /** Ids of the first and last record that goes; null where there is none. */
  readonly first: string | null;
  readonly last: string | null;
}

/** What one batch did. */
export type BatchOutcome =
  /** Records are gone and their evidence is written. `finished`: nothing of the category is left. */
  | { readonly kind: 'done'; readonly slice: Slice; readonly finished: boolean }
  /** Nothing was taken: a guard or a reference refused a record. To be called again with fewer; a single one is passed over. */
  | { readonly kind: 'refused' }
  /** A hold is being counted: no deletion of the organization begins before it is. */
  | { readonly kind: 'waiting' };

/** How many records a part of a category has. For the brake. */
export interface PartSize {
  readonly part: string;
  readonly records: number;
}

/**
 * Port: how records of some categories are previewed and disposed of by some actions. The generic ones work by `governed_tables`; a
 * category whose rows cannot simply go (the audit trail) has its own.
 */
export interface Disposer {
  /** What it serves; `others`: whatever no other one does. */
  readonly categories: readonly RetentionCategory[] | 'others';
  readonly actions: readonly RetentionAction[];
  /** As deletion records say it, for example `row delete`. */
  readonly method: string;
  /** Every part of the category, with its records of the organization. */
  sizes(tx: TenantTransaction, category: RetentionCategory): Promise<readonly PartSize[]>;
  /**
   * Everything that is over, slice by slice. `tx` is READ ONLY: what a preview calls cannot delete.
   * @throws Failure `input.invalid` for a clock that a part of the category does not know
   */
  preview(tx: TenantTransaction, disposal: Disposal, take: (slice: Slice) => void): Promise<void>;
  /**
   * Disposes of the next records, at most `most`, in `tx`: READ COMMITTED, and nothing was read in it before. The first statement goes through
   * `begin_retention_batch` (run, lease, policy version, holds' lock), and evidence and cursor move in the same transaction by
   * `end_retention_batch` (migrations 29 and 46), both inside a function of forecourt_retention.
   * @throws RunNotInForce where the run, its lease or its policy is no longer what was approved
   */
  batch(
    tx: TenantTransaction,
    disposal: Disposal,
    step: { readonly lease: number; readonly most: number },
  ): Promise<BatchOutcome>;
}

/** Disposers that the runs know. */
export const DISPOSERS = Symbol('Disposers');
