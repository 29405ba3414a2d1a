import type { Allowance, RatePolicy, RateVerdict } from '../../kernel/ports/rate-limiter.js';
import { RATE_WINDOW_MS } from '../../kernel/ports/rate-limiter.js';

/** Allowances that are the caller's own. What is left of the others would tell it about other callers. */
const OWN: ReadonlySet<RatePolicy> = new Set(['network', 'subject', 'key', 'admin']);

/**
 * The `RateLimit-Policy` and `RateLimit` fields of an answer (draft-ietf-httpapi-ratelimit-headers-10), with the allowances
 * that are the caller's own and those that refused it; none where there are none. The policies keep their names, so that a
 * client can tell one allowance from another.
 */
export function rateLimitFields({ allowances }: RateVerdict): Readonly<Record<string, string>> {
  let policy = '';
  let left = '';
  for (const allowance of allowances) {
    if (!OWN.has(allowance.bucket.policy) && allowance.waitMs === 0) continue;
    const separator = policy === '' ? '' : ', ';
    policy += separator + policyItem(allowance);
    left += separator + leftItem(allowance);
  }
  return policy === '' ? {} : { 'ratelimit-policy': policy, ratelimit: left };
}

const policyItem = ({ bucket: { policy, limit, windowMs = RATE_WINDOW_MS } }: Allowance): string =>
  `"${policy}";q=${limit};w=${Math.ceil(windowMs / 1000)}`;

const leftItem = ({ bucket, remaining, resetMs }: Allowance): string =>
  `"${bucket.policy}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`;
