import type { Failure } from '../../kernel/failure/failure.js';
import type { FailureCode } from '../../kernel/failure/registry.js';

/**
 * The `WWW-Authenticate` value that a refusal carries (RFC 6750 §3): bare where nothing was presented, with an error where
 * something was. `resource_metadata` (RFC 9728 §5.1) will be one more member here.
 */
export function challengeOf(failure: Failure): string | undefined {
  const error = CHALLENGES[failure.code];
  if (error === undefined) return undefined;
  const scopes = failure.context.scopes ?? [];
  const members = [
    ...(error === '' ? [] : [`error="${error}"`]),
    ...(error === INSUFFICIENT && scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
  ];
  return members.length === 0 ? 'Bearer' : `Bearer ${members.join(', ')}`;
}

const INSUFFICIENT = 'insufficient_scope';
const CHALLENGES: Partial<Record<FailureCode, string>> = {
  'caller.unauthenticated': '',
  'caller.credential_invalid': 'invalid_token',
  'grant.scope_insufficient': INSUFFICIENT,
  'caller.role_forbidden': INSUFFICIENT,
};
