import type { JWK } from 'jose';
import type { TokenAlgorithm } from './token-header.js';

/** Members of a public key that say how it verifies; the rest of a published key is not passed on. */
export type PublicKeyMembers =
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };

/**
 * The public part of a published key, where it may verify signatures of this algorithm (RFC 7517 §4). A key published with
 * its private part is known to everybody and verifies nothing; a symmetric one never does.
 */
export function publicKeyFor(jwk: JWK, alg: TokenAlgorithm): PublicKeyMembers | undefined {
  if (jwk.use !== undefined && jwk.use !== 'sig') return undefined;
  if (jwk.alg !== undefined && jwk.alg !== alg) return undefined;
  if (jwk.key_ops !== undefined && !jwk.key_ops.includes('verify')) return undefined;
  if (jwk.d !== undefined || jwk.k !== undefined) return undefined;
  const { kty, n, e, crv, x, y } = jwk;
  if (alg === 'ES256') {
    if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined) return undefined;
    return { kty: 'EC', crv: 'P-256', x, y };
  }
  return kty !== 'RSA' || n === undefined || e === undefined ? undefined : { kty: 'RSA', n, e };
}
