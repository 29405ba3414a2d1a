import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

export const REVIEW_STATUSES = ['dealer_reviewed', 'unresolved'] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** Which fact of which unit a review is about. */
export interface ReviewedFact {
  readonly rooftopId: string;
  readonly vin: string;
  /** As in the published entry, for example `accident_status`. */
  readonly field: string;
}

/** One review of one fact; versions count from 1 and are never changed. */
export interface DiscrepancyReview extends ReviewedFact {
  readonly version: number;
  readonly status: ReviewStatus;
  /** Of what the sources said: SHA-256 in hex. */
  readonly contentHash: string;
  /** Who reviewed: id of a key or a person. */
  readonly author: string;
  readonly reason: string;
  /** Milliseconds. */
  readonly createdAt: number;
}

/** Port: reviews of what sources disagree on, of one organization. */
export interface DiscrepancyReviewStore {
  /** The newest review of each field of a unit. */
  newest(tx: TenantTransaction, rooftopId: string, vin: string): Promise<readonly DiscrepancyReview[]>;
  insert(tx: TenantTransaction, review: DiscrepancyReview): Promise<void>;
}
