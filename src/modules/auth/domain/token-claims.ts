import type { JWTPayload } from 'jose';
import { LIMITS } from '../../../kernel/limits.js';
import type { VerifiedToken } from '../../../kernel/ports/token-verifier.js';
import type { TokenRefusal } from './token-refusal.js';

/** What the claims of a token are held against. */
export interface ExpectedClaims {
  readonly issuer: string;
  /** Compared byte for byte: no prefix, no case folding, no slash more or less (RFC 8707 §2, DAP security profile §2). */
  readonly audience: string;
  /** Milliseconds. */
  readonly now: number;
}

const LEEWAY = LIMITS.tokenLeewaySeconds.value;
const LIFETIME = LIMITS.tokenLifetimeSeconds.value;
const NAME_CHARACTERS = 512;

/** Why these claims do not count here and now; undefined when they do. Asked on every call, also for a remembered token. */
export function refusalOfClaims(claims: JWTPayload, expected: ExpectedClaims): TokenRefusal | undefined {
  const { iss, aud, exp, nbf, iat, sub } = claims as Readonly<Record<string, unknown>>;
  if (iss !== expected.issuer) return 'token_issuer';
  if (!namesAudience(aud, expected.audience)) return 'token_audience';
  if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf)) || !isName(sub)) return 'token_claims';
  const now = expected.now / 1000;
  if (now >= exp + LEEWAY) return 'token_expired';
  if (iat > now + LEEWAY || (nbf !== undefined && nbf > now + LEEWAY)) return 'token_not_yet_valid';
  if (exp <= iat || exp - iat > LIFETIME) return 'token_lifetime';
  return undefined;
}

/** What the rest of the service sees of claims that count. */
export function verifiedTokenOf(issuer: string, claims: JWTPayload): VerifiedToken {
  const client = claims['client_id'] ?? claims['azp'];
  return {
    issuer,
    subject: claims.sub ?? '',
    clientId: isName(client) ? client : undefined,
    scopes: scopesOf(claims),
    expiresAt: (claims.exp ?? 0) * 1000,
    claims,
  };
}

/** `scope` as a list of words (RFC 9068 §2.2.3); `scp`, words or an array, for issuers that name it so. */
function scopesOf(claims: JWTPayload): readonly string[] {
  const said = claims['scope'] ?? claims['scp'];
  const words: readonly unknown[] = typeof said === 'string' ? said.split(' ') : Array.isArray(said) ? said : [];
  return words.filter((word): word is string => typeof word === 'string' && word !== '');
}

/** A string, or an array with it as one member. */
function namesAudience(aud: unknown, audience: string): boolean {
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= NAME_CHARACTERS;
