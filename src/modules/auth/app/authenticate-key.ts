import type { StaffCaller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { KeyAuthenticator } from '../../../kernel/ports/key-authenticator.js';
import type { Clock } from '../../../kernel/time.js';
import { parseApiKey, secretMatches } from '../domain/api-key.js';
import type { KeyDirectory, StoredKey } from './key-store.js';
import { RecentLookups } from './recent-lookups.js';

const BEARER = /^Bearer +([\x21-\x7e]{1,256})$/i;

/** The true reasons behind `caller.credential_invalid`: for the audit trail, never for the caller. */
export type KeyRefusal = 'credential_malformed' | 'key_unknown' | 'key_secret_wrong' | 'key_expired' | 'key_revoked';

/** Use case: establishes who holds a presented API key. All refusals look alike outside. */
export class AuthenticateKey implements KeyAuthenticator {
  private readonly recent: RecentLookups;

  /** @param peppers keys of the stored hashes, the current one first */
  constructor(
    directory: KeyDirectory,
    private readonly peppers: readonly Uint8Array[],
    private readonly clock: Clock,
  ) {
    this.recent = new RecentLookups(directory, clock);
  }

  async authenticate(header: string | undefined, network: string): Promise<StaffCaller> {
    if (header === undefined) throw new Failure('caller.unauthenticated');
    const token = BEARER.exec(header)?.[1] ?? '';
    const presented = parseApiKey(token);
    if (presented === undefined) throw refused('credential_malformed');
    const { key, secretMatched } = await this.recent.of(token, presented.keyId, (stored) =>
      secretMatches(this.peppers, presented.secret, stored.secretHash),
    );
    if (key === undefined) throw refused('key_unknown');
    if (!secretMatched) throw refused('key_secret_wrong');
    this.refuseEnded(key);
    return { kind: 'key', keyId: key.keyId, organizationId: key.organizationId, role: key.role, network };
  }

  // On every call, also for a remembered key: its end does not wait for a new look-up.
  private refuseEnded(key: StoredKey): void {
    const now = this.clock.now();
    if (key.revokedAt !== null && key.revokedAt <= now) throw refused('key_revoked');
    if (key.expiresAt !== null && key.expiresAt <= now) throw refused('key_expired');
  }
}

const refused = (auditReason: KeyRefusal): Failure => new Failure('caller.credential_invalid', { auditReason });
