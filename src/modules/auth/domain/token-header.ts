import type { TokenRefusal } from './token-refusal.js';

/** The algorithms that count (decision record 0031). Each asks for a public key, so none can be confused with a secret. */
export const TOKEN_ALGORITHMS = ['RS256', 'PS256', 'ES256'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** What a token says about its own signature. Everything else in its header is never read, `jku`, `x5u` and `jwk` included. */
export interface TokenHeader {
  readonly alg: TokenAlgorithm;
  /** A name to look for in the key set of the issuer, and nothing else. */
  readonly kid: string;
}

const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** RFC 9068 §2.1; `JWT` for issuers that were there before it. */
const TYPES: readonly unknown[] = ['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt'];
const KID_CHARACTERS = 256;

/** Whether a token claims to be a signed JWT (RFC 7519 §3): three parts. Anything else is opaque. */
export const looksSigned = (token: string): boolean => token.split('.', 4).length === 3;

/**
 * Reads the header of a signed token, strictly: the library behind passport-jwt ignores `crit`, which RFC 7515 §4.1.11
 * forbids, and does not look at `typ` (RFC 8725 §3.11).
 */
export function readTokenHeader(token: string): TokenHeader | { readonly refusal: TokenRefusal } {
  if (!COMPACT.test(token)) return { refusal: 'credential_malformed' };
  const header = readPart(token, 0);
  if (header === undefined) return { refusal: 'credential_malformed' };
  if ('crit' in header || 'b64' in header) return { refusal: 'token_header' };
  const { alg, kid, typ } = header;
  if (!isTokenAlgorithm(alg)) return { refusal: 'token_algorithm' };
  if (typeof typ !== 'string' || !TYPES.includes(typ.toLowerCase())) return { refusal: 'token_type' };
  if (typeof kid !== 'string' || kid === '' || kid.length > KID_CHARACTERS) return { refusal: 'token_key_unknown' };
  return { alg, kid };
}

/** Who a token claims to be from: only to find out whether that issuer is trusted at all. */
export function claimedIssuer(token: string): unknown {
  return readPart(token, 1)?.['iss'];
}

function isTokenAlgorithm(alg: unknown): alg is TokenAlgorithm {
  return (TOKEN_ALGORITHMS as readonly unknown[]).includes(alg);
}

function readPart(token: string, index: 0 | 1): Readonly<Record<string, unknown>> | undefined {
  try {
    const part: unknown = JSON.parse(Buffer.from(token.split('.', 2)[index] ?? '', 'base64url').toString('utf8'));
    if (typeof part === 'object' && part !== null && !Array.isArray(part)) return part as Record<string, unknown>;
  } catch {
    // no JSON: no part
  }
  return undefined;
}
