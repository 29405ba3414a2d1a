import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Violation } from '../../../kernel/failure/violation.js';
import { newTrustedIssuerId } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { RevocationJournal } from '../../../kernel/ports/restore-journal.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { type Clock, rfc3339 } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { TrustedIssuerRecord } from '../domain/trusted-issuer-record.js';
import type { AccessChanges } from './access-change.js';
import type { TrustedIssuerStore } from './trusted-issuer-store.js';

/**
 * Use cases: whose tokens an organization accepts beside those of the embedded authorization server. Every process follows
 * within two seconds, an end by the fast path of revocations (known-clients.ts).
 */
export class ManageTrustedIssuers {
  /** @param ownUrl base URL of this service: what issues tokens here is trusted without a row, or not at all */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: TrustedIssuerStore,
    private readonly changes: AccessChanges,
    private readonly journal: RevocationJournal,
    private readonly clock: Clock,
    private readonly ownUrl: string,
  ) {}

  /** By id, ended ones included. */
  list(
    organizationId: string,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly TrustedIssuerRecord[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  /**
   * @throws Failure `input.invalid` for an issuer that cannot be one, or too many; `state.conflict` for one that is trusted
   *   already.
   */
  add(organizationId: string, trust: TrustedIssuer, origin: ChangeOrigin): Promise<TrustedIssuerRecord> {
    if (trust.issuer.startsWith(this.ownUrl)) throw invalid('not', 'must not be this service');
    const record = { trustedIssuerId: newTrustedIssuerId(), trust, createdAt: this.clock.now(), revokedAt: null };
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      if ((await this.store.inForce(tx)).length >= LIMITS.issuersPerOrganization.value)
        throw invalid('maxItems', 'is one more than an organization may trust');
      if (!(await this.store.insert(tx, record)))
        throw new Failure('state.conflict', { auditReason: 'issuer_trusted' });
      await this.changes.record(tx, origin, {
        operation: 'trusted_issuers.create',
        resourceIds: [record.trustedIssuerId],
        hashes: changeHashes(null, record),
      });
      return record;
    });
  }

  /** What was ended before stays as it was. @throws Failure `resource.not_found`. */
  revoke(organizationId: string, trustedIssuerId: string, origin: ChangeOrigin): Promise<void> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await this.store.find(tx, trustedIssuerId);
      if (before === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      const revokedAt = before.revokedAt ?? this.clock.now();
      await this.store.revoke(tx, trustedIssuerId, revokedAt);
      await this.changes.record(tx, origin, {
        operation: 'trusted_issuers.revoke',
        resourceIds: [trustedIssuerId],
        hashes: changeHashes(before, { ...before, revokedAt }),
      });
      await this.journal.note(tx, { what: 'issuer', id: trustedIssuerId, revokedAt: rfc3339(revokedAt) });
    });
  }
}

function invalid(keyword: string, explanation: string): Failure {
  const violation: Violation = { pointer: '/issuer', keyword, explanation };
  return new Failure('input.invalid', { violations: [violation] });
}
