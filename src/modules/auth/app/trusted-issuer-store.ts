import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { TrustedIssuerRecord } from '../domain/trusted-issuer-record.js';

/** Port: keeps the issuers that one organization trusts. Nothing in it is ever changed, only revoked. */
export interface TrustedIssuerStore {
  /** @returns false where the issuer is trusted already. */
  insert(tx: TenantTransaction, record: TrustedIssuerRecord): Promise<boolean>;
  /** By id, ended ones included. */
  list(tx: TenantTransaction): Promise<readonly TrustedIssuerRecord[]>;
  /** Those in force, by id. */
  inForce(tx: TenantTransaction): Promise<readonly TrustedIssuerRecord[]>;
  /** @returns false where there is no such issuer. One revoked before stays as it was. */
  revoke(tx: TenantTransaction, trustedIssuerId: string, at: number): Promise<boolean>;
}
