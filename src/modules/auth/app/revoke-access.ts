import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { RevocationJournal, RevokedThing } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { type Clock, rfc3339 } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { AccessChanges } from './access-change.js';
import type { GrantStore } from './grant-store.js';
import type { KeyStore } from './key-store.js';

/**
 * Use cases: end a grant, a group delegation or a key. Every process knows within two seconds (recent-lookups.ts). What has
 * ended already stays as it was, and ending it again is audited like the first time.
 */
export class RevokeAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly grants: GrantStore,
    private readonly keys: KeyStore,
    private readonly changes: AccessChanges,
    private readonly journal: RevocationJournal,
    private readonly clock: Clock,
  ) {}

  /** Ends all versions of a grant and with it what its keys open. @throws Failure `resource.not_found`. */
  grant(organizationId: string, grantId: string, origin: ChangeOrigin): Promise<void> {
    return this.end(organizationId, 'grant', grantId, origin, async (tx, now) => {
      const grant = await this.grants.find(tx, grantId, 'change');
      if (grant !== undefined) await this.grants.revoke(tx, grantId, now);
      return grant;
    });
  }

  /** Ends a group delegation and with it every grant that rests on it. @throws Failure `resource.not_found`. */
  delegation(organizationId: string, delegationId: string, origin: ChangeOrigin): Promise<void> {
    return this.end(organizationId, 'delegation', delegationId, origin, async (tx, now) => {
      const delegation = await this.grants.findDelegation(tx, delegationId);
      if (delegation !== undefined) await this.grants.revokeDelegation(tx, delegationId, now);
      return delegation;
    });
  }

  /** @throws Failure `resource.not_found`. */
  key(organizationId: string, keyId: string, origin: ChangeOrigin): Promise<void> {
    return this.end(organizationId, 'key', keyId, origin, async (tx, now) => {
      const key = await this.keys.find(tx, keyId, 'change');
      if (key !== undefined) await this.keys.revoke(tx, keyId, now);
      return key;
    });
  }

  /** Never conditional: what must stop now is not asked which version its author has seen (decision record 0035). */
  private end(
    organizationId: string,
    what: Extract<RevokedThing, 'grant' | 'delegation' | 'key'>,
    id: string,
    origin: ChangeOrigin,
    work: (tx: TenantTransaction, now: number) => Promise<{ readonly revokedAt: number | null } | undefined>,
  ): Promise<void> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const now = this.clock.now();
      const before = await work(tx, now);
      if (before === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      const hashes = changeHashes(before, { ...before, revokedAt: before.revokedAt ?? now });
      await this.changes.record(tx, origin, { operation: `${what}s.revoke`, resourceIds: [id], hashes });
      await this.journal.note(tx, { what, id, revokedAt: rfc3339(before.revokedAt ?? now) });
    });
  }
}
