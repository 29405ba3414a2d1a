import type { Failure } from '../../kernel/failure/failure.js';
import type { FailureCode } from '../../kernel/failure/registry.js';
import type { ResourceDescription } from '../../modules/auth/index.js';

/** What a challenge says besides the error. */
export interface ChallengedResource extends Pick<ResourceDescription, 'scopes' | 'dpop' | 'dpopAlgorithms'> {
  /** Where the metadata of the resource is (RFC 9728 §5.1). */
  readonly metadataUrl: string;
}

/**
 * The `WWW-Authenticate` value that a refusal carries (RFC 6750 §3): without an error where nothing was presented, with one
 * where something was. Every one says where the metadata is and which scopes to ask for: all that the operation needs at
 * once, because a client asks once (MCP authorization).
 * @param presented the scheme that was used; undefined where none was
 */
export function challengeOf(
  failure: Failure,
  resource: ChallengedResource,
  presented: 'bearer' | 'dpop' | undefined,
): string | undefined {
  const error = CHALLENGES[failure.code];
  if (error === undefined) return undefined;
  const schemes = schemesFor(resource, presented);
  return schemes
    .map((scheme) => {
      const members = [
        // The error belongs to the scheme that failed; with one scheme there is no other to try.
        ...(error === '' || (schemes.length > 1 && scheme !== (presented ?? scheme)) ? [] : [`error="${error}"`]),
        ...scopesFor(failure, error, resource),
        `resource_metadata="${resource.metadataUrl}"`,
        ...(scheme === 'dpop' ? [`algs="${resource.dpopAlgorithms.join(' ')}"`] : []),
      ];
      return `${NAMES[scheme]} ${members.join(', ')}`;
    })
    .join(', ');
}

const NAMES = { bearer: 'Bearer', dpop: 'DPoP' } as const;
type Scheme = keyof typeof NAMES;

/** Bearer first where it is accepted: clients that know one scheme read the first. */
function schemesFor({ dpop }: ChallengedResource, presented: Scheme | undefined): readonly Scheme[] {
  if (dpop === 'all') return ['dpop'];
  return dpop === 'some' || presented === 'dpop' ? ['bearer', 'dpop'] : ['bearer'];
}

function scopesFor(failure: Failure, error: string, resource: ChallengedResource): readonly string[] {
  // More scopes do not help a client that has no grant: then none are named.
  const scopes = failure.context.scopes ?? (error === INSUFFICIENT ? [] : resource.scopes);
  return scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`];
}

const INSUFFICIENT = 'insufficient_scope';
const CHALLENGES: Partial<Record<FailureCode, string>> = {
  'caller.unauthenticated': '',
  'caller.credential_invalid': 'invalid_token',
  'grant.scope_insufficient': INSUFFICIENT,
  'caller.role_forbidden': INSUFFICIENT,
};
