import { Failure } from '../../../kernel/failure/failure.js';
import { NOTHING_REVOKED, type Revocations } from '../../../kernel/ports/revocations.js';
import type { Clock } from '../../../kernel/time.js';
import { parseApiKey, secretMatches } from '../domain/api-key.js';
import type { GrantRefusal } from '../domain/grant-record.js';
import { networksAllow } from '../domain/key-networks.js';
import type { KeyDirectory, StoredKey } from './key-store.js';
import { grantWithEnd } from './known-access.js';
import type { FindGrant, LookedUp } from './recent-lookups.js';
import { RecentLookups } from './recent-lookups.js';

const BEARER = /^Bearer +([\x21-\x7e]{1,256})$/i;

/** The true reasons behind `caller.credential_invalid`: for the audit trail, never for the caller. */
export type KeyRefusal =
  | 'credential_malformed'
  | 'key_unknown'
  | 'key_secret_wrong'
  | 'key_expired'
  | 'key_revoked'
  | 'key_retired'
  | 'organization_not_served'
  | GrantRefusal;

/** A key whose holder has shown its secret, and what it carries. */
export type VerifiedKey = Pick<LookedUp, 'grant'> & { readonly key: StoredKey };

/** Verifies presented API keys, for staff and agents alike. All refusals look alike outside. */
export class VerifiedKeys {
  private readonly recent: RecentLookups;

  /** @param peppers keys of the stored hashes, the current one first */
  constructor(
    directory: KeyDirectory,
    findGrant: FindGrant,
    private readonly peppers: readonly Uint8Array[],
    private readonly clock: Clock,
    private readonly used: (key: StoredKey) => void = () => undefined,
    private readonly revocations: Revocations = NOTHING_REVOKED,
  ) {
    this.recent = new RecentLookups(directory, findGrant, clock);
  }

  /**
   * @param address of the caller, from the trusted-proxy setting
   * @throws Failure `caller.credential_invalid`, `caller.network_forbidden`, or of the store.
   */
  async verify(header: string, address?: string): Promise<VerifiedKey> {
    const token = BEARER.exec(header)?.[1] ?? '';
    const presented = parseApiKey(token);
    if (presented === undefined) throw refusedCredential('credential_malformed');
    const { key, secretMatched, grant } = await this.recent.of(token, presented.keyId, (stored) =>
      secretMatches(this.peppers, presented.secret, stored.secretHash),
    );
    if (key === undefined) throw refusedCredential('key_unknown');
    if (!secretMatched) throw refusedCredential('key_secret_wrong');
    this.refuseEnded(key);
    if (!networksAllow(key.networks, address)) throw new Failure('caller.network_forbidden');
    this.used(key);
    return { key, grant: grant && grantWithEnd(grant, this.revocations) };
  }

  // On every call, also for a remembered key: its end does not wait for a new look-up.
  private refuseEnded(key: StoredKey): void {
    const now = this.clock.now();
    const end = this.revocations.endOf('key', key.organizationId, key.keyId);
    if (end !== undefined && end <= now) throw refusedCredential('key_revoked');
    if (key.revokedAt !== null && key.revokedAt <= now) throw refusedCredential('key_revoked');
    if (key.expiresAt !== null && key.expiresAt <= now) throw refusedCredential('key_expired');
    if (key.retiresAt !== null && key.retiresAt <= now) throw refusedCredential('key_retired');
    if (!key.organizationServed) throw refusedCredential('organization_not_served');
  }
}

export const refusedCredential = (auditReason: KeyRefusal): Failure =>
  new Failure('caller.credential_invalid', { auditReason });
