import { newErrorId } from '../ids.js';
import type { FailureCode } from './registry.js';
import { FAILURES } from './registry.js';
import type { Violation } from './violation.js';

/** Closed list behind `error.details.reason` of the ops envelope (decision record 0003). */
export const FAILURE_REASONS = [
  'not_found',
  'unknown_route',
  'precondition_required',
  'precondition_failed',
  'held',
  'idempotency_mismatch',
  'idempotency_key_required',
  'idempotency_key_invalid',
  'malformed_path',
  'malformed_json',
  'unsupported_media_type',
  'unsupported_encoding',
  'nesting_too_deep',
  'empty_body',
  'person_required',
  'sign_in_again',
  'own_request',
  'not_an_approver',
  'still_in_use',
  'superseded',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Freshness as the DAP error object may carry it in `details.current_freshness`. */
export interface FreshnessDetail {
  readonly observed_at: string;
  readonly valid_until?: string;
  readonly state: 'current' | 'stale' | 'unknown' | 'withdrawn';
  readonly max_age_seconds?: number;
}

export interface FailureContext {
  readonly violations?: readonly Violation[];
  readonly reason?: FailureReason;
  readonly freshness?: FreshnessDetail;
  /** Scopes that the operation asks for, for the challenge of a 403 (RFC 6750 §3.1). */
  readonly scopes?: readonly string[];
  /** The approval that an action waits for. Milliseconds. */
  readonly approval?: { readonly approvalId: string; readonly expiresAt: number; readonly missing: number };
  /** The change that led here was committed with its audit record: there is no second one. */
  readonly recorded?: true;
  readonly revisions?: { readonly supported: readonly string[]; readonly requested: string };
  /** Milliseconds after which a retry is sensible. Bounded by the renderers. */
  readonly retryAfterMs?: number;
  /** The underlying error. Logged once, never rendered. */
  readonly cause?: unknown;
  /** The true reason for the audit record where the public code is collapsed (DAP error contract §4). */
  readonly auditReason?: string;
}

/**
 * A failure in the product's own words. Thrown by use cases and guards, recorded by the pipeline, rendered by a surface's
 * total map. Its message is the registry's: nothing of the input can reach it.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** Names this one failure in the answer and in the log. */
  readonly errorId = newErrorId();

  constructor(
    readonly code: FailureCode,
    readonly context: FailureContext = {},
  ) {
    super(FAILURES[code].message, context.cause === undefined ? undefined : { cause: context.cause });
  }

  /** Wraps anything thrown: a Failure stays what it is, the rest becomes `internal.unexpected` with its cause. */
  static from(error: unknown): Failure {
    return error instanceof Failure ? error : new Failure('internal.unexpected', { cause: error });
  }
}
