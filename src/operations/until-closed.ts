import { Failure } from '../kernel/failure/failure.js';

/**
 * What is awaited, unless the caller hangs up before: then the call ends at once and is recorded so. The work itself may be
 * shared with other callers and is left to its own time limit.
 * @throws Failure `upstream.unavailable` with the audit reason `caller_gone`; nobody is there to read it.
 */
export function untilClosed<T>(running: Promise<T>, closed: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (): void => {
      reject(new Failure('upstream.unavailable', { auditReason: 'caller_gone', retryAfterMs: 1000 }));
    };
    if (closed.aborted) gone();
    closed.addEventListener('abort', gone, { once: true });
    running.then(resolve, reject).finally(() => {
      closed.removeEventListener('abort', gone);
    });
  });
}
