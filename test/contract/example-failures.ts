import fc from 'fast-check';
import type { FailureContext } from '../../src/kernel/failure/failure.js';
import { Failure, FAILURE_REASONS } from '../../src/kernel/failure/failure.js';
import type { FailureCode } from '../../src/kernel/failure/registry.js';
import { FAILURE_CODES, FAILURES } from '../../src/kernel/failure/registry.js';

export const NOW = Date.UTC(2026, 8, 1, 14, 0, 0);
export const TRACE = 'trc_01J7DEALERAGENT0000000000';
export const REQUEST = 'req_01J7DEALERAGENT0000000000';

/** A failure as the product raises it: with what its registry row says it carries. */
export function exampleOf(code: FailureCode): Failure {
  return new Failure(code, CONTEXTS[FAILURES[code].details]);
}

const CONTEXTS = {
  none: {},
  violations: { violations: [{ pointer: '/filters/year_min', keyword: 'type', explanation: 'must be integer' }] },
  reason: { reason: 'not_found' },
  freshness: { freshness: { observed_at: '2026-09-01T13:00:00Z', state: 'stale', max_age_seconds: 900 } },
  approval: { approval: { approvalId: 'apr.example', expiresAt: Date.UTC(2026, 8, 4, 14), missing: 1 } },
  revisions: { revisions: { supported: ['2026-07-28'], requested: '2020-01-01' } },
} as const satisfies Record<string, FailureContext>;

/** A word that no message, code or id of the product contains, so that its appearance proves an echo. */
export const MARK = 'Zz~hostile~zZ';

const hostileText = fc.string({ maxLength: 40 }).map((text) => `${text}${MARK}${text}`);

/** Failures whose context was filled by an attacker as far as the types allow, and further. */
export const hostileFailure: fc.Arbitrary<Failure> = fc
  .record({
    code: fc.constantFrom(...FAILURE_CODES),
    cause: hostileText.map((text) => new Error(`SELECT ${text} FROM secrets at /srv/app.js:1`)),
    auditReason: hostileText,
    requested: hostileText,
    reason: fc.option(fc.constantFrom(...FAILURE_REASONS), { nil: undefined }),
    retryAfterMs: fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
  })
  .map(({ code, cause, auditReason, requested, reason, retryAfterMs }) => {
    const context: FailureContext = {
      cause,
      auditReason,
      revisions: { supported: [], requested },
      ...(reason === undefined ? {} : { reason }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
    return new Failure(code, context);
  });
