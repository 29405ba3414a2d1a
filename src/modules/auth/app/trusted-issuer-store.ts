import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { TrustedIssuerRecord } from '../domain/trusted-issuer-record.js';

/** Port: the issuers that an organization trusts now. */
export interface TrustedIssuers {
  /**
   * Those in force, by id.
   * @throws Failure `upstream.unavailable` or `limit.busy` when that cannot be known.
   */
  inForce(organizationId: string): Promise<readonly TrustedIssuerRecord[]>;
}

/** Port: keeps the issuers that one organization trusts. Nothing in it is ever changed, only revoked. */
export interface TrustedIssuerStore {
  /** @returns false where the issuer is trusted already. */
  insert(tx: TenantTransaction, record: TrustedIssuerRecord): Promise<boolean>;
  /** By id, ended ones included. */
  list(
    tx: TenantTransaction,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly TrustedIssuerRecord[]>;
  find(tx: TenantTransaction, trustedIssuerId: string): Promise<TrustedIssuerRecord | undefined>;
  /** Those in force, by id. */
  inForce(tx: TenantTransaction): Promise<readonly TrustedIssuerRecord[]>;
  /** @returns false where there is no such issuer. One revoked before stays as it was. */
  revoke(tx: TenantTransaction, trustedIssuerId: string, at: number): Promise<boolean>;
}
