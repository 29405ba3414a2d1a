import type { Failure } from '../../kernel/failure/failure.js';
import { retryHintMs } from '../../kernel/failure/retry-hint.js';
import { MAX_VIOLATIONS } from '../../kernel/failure/violation.js';
import { rfc3339 } from '../../kernel/time.js';
import type { AapCode } from './failure-map.js';
import { AAP_CODES, AAP_FAILURE_MAP } from './failure-map.js';

/** The typed error payload of AAP 1.3. */
export interface AapError {
  readonly type: 'aap.error';
  readonly error_id: string;
  readonly code: AapCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

/** The error member of a JSON-RPC error response that carries it. */
export interface AapJsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data: AapError;
}

/** Renders a failure as AAP 1.3 defines it; `retryable` follows from the wire code (decision record 0003). */
export function toAapError(failure: Failure, at: { readonly now: number }): AapJsonRpcError {
  const code = AAP_FAILURE_MAP[failure.code];
  const { jsonRpc, retryable } = AAP_CODES[code];
  const details = detailsOf(failure, retryable);
  return {
    code: jsonRpc,
    message: failure.message,
    data: {
      type: 'aap.error',
      error_id: failure.errorId,
      code,
      message: failure.message,
      retryable,
      ...(details === undefined ? {} : { details }),
      created_at: rfc3339(at.now),
    },
  };
}

function detailsOf(failure: Failure, retryable: boolean): Readonly<Record<string, unknown>> | undefined {
  const { violations } = failure.context;
  if (violations !== undefined && violations.length > 0) {
    return {
      errors: violations
        .slice(0, MAX_VIOLATIONS)
        .map((v) => ({ instanceLocation: v.pointer, keyword: v.keyword, error: v.explanation })),
    };
  }
  if (!retryable) return undefined;
  return { retry_after_ms: retryHintMs(failure) };
}
