import type { JWTPayload } from 'jose';

/** What a token must be to count. */
export interface TokenRequirements {
  /** Issuers that are trusted here, compared byte for byte. */
  readonly issuers: readonly TrustedIssuer[];
  /** The one audience that counts, compared byte for byte. */
  readonly audience: string;
}

/** An authorization server whose tokens are accepted. */
export interface TrustedIssuer {
  readonly issuer: string;
  /** Where its keys are; undefined: found by its metadata (RFC 8414, OpenID Connect Discovery). */
  readonly jwksUri?: string;
  /** Of RS256, PS256 and ES256 those that it uses; absent: all three. */
  readonly algorithms?: readonly string[];
  /** Where opaque tokens are asked about (RFC 7662), and the name of the credential file for it. */
  readonly introspection?: { readonly endpoint: string; readonly clientId: string; readonly credential: string };
  /** Whether tokens must be bound to a key that the caller proves to hold (RFC 9449). */
  readonly requiresDpop?: boolean;
  /** By what the organization ends its trust; absent for the embedded authorization server. */
  readonly trustId?: string;
}

/** Claims of a token that counts, with who issued it. */
export interface VerifiedToken {
  readonly issuer: string;
  readonly subject: string;
  /** `client_id` or `azp`; undefined where the issuer names none. */
  readonly clientId: string | undefined;
  readonly scopes: readonly string[];
  /** Milliseconds. */
  readonly expiresAt: number;
  /** Every claim, for what only one caller of the port needs (`amr`, `auth_time`, groups). */
  readonly claims: JWTPayload;
}

/** How a caller proves that it holds the key a token is bound to (RFC 9449). */
export interface ProofOfPossession {
  /** The `DPoP` header as it came. */
  readonly proof: string | undefined;
  readonly method: string;
  /** The URI that was called, without query and fragment. */
  readonly uri: string;
}

/** Port: verifies access tokens (RFC 9068, RFC 8725). */
export interface TokenVerifier {
  /**
   * @param token as it came, without its scheme
   * @param possession of a token presented with the scheme `DPoP`; absent for `Bearer`, which a token bound to a key never passes
   * @throws Failure `caller.credential_invalid` with the true reason for the audit record; `upstream.unavailable` when the keys of
   *   a trusted issuer cannot be had and none are remembered.
   */
  verify(token: string, requirements: TokenRequirements, possession?: ProofOfPossession): Promise<VerifiedToken>;
}

export const TOKEN_VERIFIER = Symbol('TokenVerifier');
