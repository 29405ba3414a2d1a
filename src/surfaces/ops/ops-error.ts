import type { Failure } from '../../kernel/failure/failure.js';
import { FAILURES } from '../../kernel/failure/registry.js';
import { retryHintMs } from '../../kernel/failure/retry-hint.js';
import { MAX_VIOLATIONS } from '../../kernel/failure/violation.js';
import { rfc3339 } from '../../kernel/time.js';
import type { OpsCode } from './failure-map.js';
import { OPS_FAILURE_MAP, opsCodeFacts } from './failure-map.js';

/** The `error` member of the ops envelope. */
export interface OpsError {
  readonly code: OpsCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly request_id: string;
  readonly retry_after_ms?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface RenderedOpsError {
  readonly status: number;
  readonly error: OpsError;
}

/** Renders a failure for the ops envelope. Status and retry advice follow from the wire code; `internal` alone from the cause. */
export function toOpsError(failure: Failure, requestId: string): RenderedOpsError {
  const code = OPS_FAILURE_MAP[failure.code];
  const facts = opsCodeFacts(code);
  const retryable = facts.retryable === 'by cause' ? FAILURES[failure.code].opsRetryable === true : facts.retryable;
  const hint = retryable
    ? retryHintMs(failure)
    : facts.backoffMs === undefined
      ? undefined
      : retryHintMs(failure, facts.backoffMs);
  const details = detailsOf(failure);
  return {
    status: facts.status,
    error: {
      code,
      message: failure.message,
      retryable,
      request_id: requestId,
      ...(hint === undefined ? {} : { retry_after_ms: hint }),
      ...(details === undefined ? {} : { details }),
    },
  };
}

function detailsOf(failure: Failure): Readonly<Record<string, unknown>> | undefined {
  const { violations, reason, approval } = failure.context;
  const details: Record<string, unknown> = {};
  if (reason !== undefined) details['reason'] = reason;
  if (violations !== undefined && violations.length > 0) details['violations'] = violations.slice(0, MAX_VIOLATIONS);
  if (approval !== undefined) {
    details['approval_id'] = approval.approvalId;
    details['expires_at'] = rfc3339(approval.expiresAt);
    details['missing'] = approval.missing;
  }
  if (failure.code.startsWith('internal.')) details['error_id'] = failure.errorId;
  return Object.keys(details).length === 0 ? undefined : details;
}
