import type { JWTPayload } from 'jose';
import { LIMITS } from '../../../kernel/limits.js';
import type {
  ProofOfPossession,
  TokenRequirements,
  TokenVerifier,
  TrustedIssuer,
  VerifiedToken,
} from '../../../kernel/ports/token-verifier.js';
import type { Clock } from '../../../kernel/time.js';
import { refusalOfClaims, verifiedTokenOf } from '../domain/token-claims.js';
import { claimedIssuer, looksSigned, readTokenHeader, TOKEN_ALGORITHMS } from '../domain/token-header.js';
import type { DpopProofs } from './dpop-proofs.js';
import type { IntrospectedTokens } from './introspected-tokens.js';
import type { IssuerKeys } from './issuer-keys.js';
import { refusedToken } from './refused-token.js';
import type { RememberedTokens } from './remembered-tokens.js';
import type { TokenSignatures } from './token-signatures.js';

/** What somebody we trust says about a token; whether it counts here and now is another question. */
interface Statement {
  readonly issuer: TrustedIssuer;
  readonly claims: JWTPayload;
}

export interface VerifyTokenParts {
  readonly signatures: TokenSignatures;
  readonly keys: IssuerKeys;
  readonly remembered: RememberedTokens;
  readonly introspected: IntrospectedTokens;
  readonly proofs: DpopProofs;
  readonly clock: Clock;
}

/** Use case: whether an access token counts, and what it says (RFC 9068 §4, RFC 8725, RFC 9449 §7). */
export class VerifyToken implements TokenVerifier {
  constructor(private readonly parts: VerifyTokenParts) {}

  async verify(
    token: string,
    { issuers, audience }: TokenRequirements,
    possession?: ProofOfPossession,
  ): Promise<VerifiedToken> {
    if (token.length > LIMITS.tokenBytes.value) throw refusedToken('token_too_large');
    const { issuer, claims } = looksSigned(token)
      ? await this.signed(token, issuers)
      : await this.opaque(token, issuers);
    const refusal = refusalOfClaims(claims, { issuer: issuer.issuer, audience, now: this.parts.clock.now() });
    if (refusal !== undefined) throw refusedToken(refusal);
    await this.checkBinding(token, issuer, claims, possession);
    return verifiedTokenOf(issuer.issuer, claims);
  }

  private async signed(token: string, issuers: readonly TrustedIssuer[]): Promise<Statement> {
    const { remembered, keys, signatures } = this.parts;
    const known = remembered.find(token, issuers);
    if (known !== undefined) return known;
    const header = readTokenHeader(token);
    if ('refusal' in header) throw refusedToken(header.refusal);
    const named = claimedIssuer(token);
    const issuer = issuers.find((trusted) => trusted.issuer === named);
    // Before any key is fetched: a stranger's token costs no request to anybody.
    if (issuer === undefined) throw refusedToken('token_issuer');
    if (!(issuer.algorithms ?? TOKEN_ALGORITHMS).includes(header.alg)) throw refusedToken('token_algorithm');
    const key = await keys.find(issuer, header);
    if (key === undefined) throw refusedToken('token_key_unknown');
    const claims = await signatures.open(token, key);
    if (claims === undefined) throw refusedToken('token_signature');
    remembered.remember(token, issuer, claims);
    return { issuer, claims };
  }

  private async opaque(token: string, issuers: readonly TrustedIssuer[]): Promise<Statement> {
    const asked = issuers.filter(({ introspection }) => introspection !== undefined);
    if (asked.length === 0) throw refusedToken('credential_malformed');
    const statement = await this.parts.introspected.find(token, asked);
    if (statement === undefined) throw refusedToken('token_inactive');
    return statement;
  }

  /** A token that is bound to something is refused unless that is proved; of what may be proved only keys are known here. */
  private async checkBinding(
    token: string,
    issuer: TrustedIssuer,
    { cnf }: JWTPayload,
    possession: ProofOfPossession | undefined,
  ): Promise<void> {
    if (cnf === undefined) {
      if (possession !== undefined || issuer.requiresDpop === true) throw refusedToken('dpop_required');
      return;
    }
    const thumbprint = keyThumbprintOf(cnf);
    if (possession === undefined || thumbprint === undefined) throw refusedToken('token_bound_to_key');
    await this.parts.proofs.check(token, thumbprint, possession);
  }
}

/** @returns undefined for a binding to anything else than one key, such as a client certificate (RFC 8705). */
function keyThumbprintOf(cnf: unknown): string | undefined {
  if (typeof cnf !== 'object' || cnf === null || Object.keys(cnf).length !== 1) return undefined;
  const { jkt } = cnf as { jkt?: unknown };
  return typeof jkt === 'string' ? jkt : undefined;
}
