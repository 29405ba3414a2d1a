import type { Failure, FreshnessDetail } from '../../kernel/failure/failure.js';
import { retryHintMs } from '../../kernel/failure/retry-hint.js';
import { MAX_VIOLATIONS } from '../../kernel/failure/violation.js';
import { rfc3339 } from '../../kernel/time.js';
import type { DapCode } from './failure-map.js';
import { DAP_CODES, DAP_FAILURE_MAP } from './failure-map.js';

/** The structured error object of a DAP tool (DAP error contract §1). */
export interface DapError {
  readonly error_id: string;
  readonly code: DapCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly retry_after_ms?: number;
  readonly trace_id: string;
  readonly details?: {
    readonly field_errors?: readonly {
      readonly instance_location: string;
      readonly keyword: string;
      readonly explanation: string;
    }[];
    readonly current_freshness?: FreshnessDetail;
  };
  readonly created_at: string;
}

/**
 * Renders a failure as DAP defines it. `retryable` follows from the wire code alone (DAP-ERR-001); every retryable error
 * carries a bounded hint. A violation of the whole payload is located at "/", because DAP wants a leading slash.
 */
export function toDapError(failure: Failure, at: { readonly traceId: string; readonly now: number }): DapError {
  const code = DAP_FAILURE_MAP[failure.code];
  const retryable = DAP_CODES[code];
  const details = detailsOf(failure);
  return {
    error_id: failure.errorId,
    code,
    message: failure.message,
    retryable,
    ...(retryable ? { retry_after_ms: retryHintMs(failure) } : {}),
    trace_id: at.traceId,
    ...(details === undefined ? {} : { details }),
    created_at: rfc3339(at.now),
  };
}

function detailsOf(failure: Failure): DapError['details'] {
  const { violations, freshness } = failure.context;
  if (violations !== undefined && violations.length > 0) {
    return {
      field_errors: violations.slice(0, MAX_VIOLATIONS).map((v) => ({
        instance_location: v.pointer === '' ? '/' : v.pointer,
        keyword: v.keyword,
        explanation: v.explanation,
      })),
    };
  }
  return freshness === undefined ? undefined : { current_freshness: freshness };
}
