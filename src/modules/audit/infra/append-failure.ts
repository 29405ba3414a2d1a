import { Failure } from '../../../kernel/failure/failure.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';

/** What to do about a failed append. */
export type AppendFailure =
  /** The month has no partition yet: nothing was written, create it and try again. */
  | { readonly kind: 'no_partition' }
  /** One record is to blame: nothing was written, find it so that the others are kept. */
  | { readonly kind: 'bad_record' }
  /**
   * Fail the records of this append. `silent`: the server does not answer at all, so those that wait would fail too.
   * `unsent`: there was no connection, so that certainly nothing was written.
   */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly silent: boolean; readonly unsent: boolean };

const CHECK_VIOLATION = '23514';
// Data exceptions, constraint violations, and row-level security's refusal.
const RECORD_AT_FAULT = /^(22...|23...|42501)$/;
const TIMED_OUT = /timeout|timed out/i;
const NO_CONNECTION = /^ECONNREFUSED$|timeout exceeded when trying to connect/;

/** Tells the causes of a failed append apart. */
export function appendFailure(error: unknown): AppendFailure {
  const { code, message } = error as { code?: string; message?: string };
  if (code === CHECK_VIOLATION && message?.includes('no partition') === true) return { kind: 'no_partition' };
  if (code !== undefined && RECORD_AT_FAULT.test(code)) return { kind: 'bad_record' };
  const silent = TIMED_OUT.test(message ?? '') || code === 'ETIMEDOUT';
  // For the recorder a full pool and a dead server are the same: it has its own connections.
  if (silent || databaseFailure(error) instanceof Failure) {
    return {
      kind: 'failed',
      silent,
      unsent: NO_CONNECTION.test(code ?? '') || NO_CONNECTION.test(message ?? ''),
      failure: new Failure('upstream.unavailable', {
        cause: error,
        retryAfterMs: 2000,
        auditReason: 'audit_store_unavailable',
      }),
    };
  }
  return { kind: 'failed', silent: false, unsent: false, failure: Failure.from(error) };
}
