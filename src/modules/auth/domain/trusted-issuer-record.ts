import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';

/** An authorization server that an organization trusts, as it is stored. Times are milliseconds. */
export interface TrustedIssuerRecord {
  readonly trustedIssuerId: string;
  readonly trust: TrustedIssuer;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}
