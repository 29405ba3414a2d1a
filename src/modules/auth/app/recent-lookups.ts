import { createHash } from 'node:crypto';
import type { Clock } from '../../../kernel/time.js';
import type { GrantRecord } from '../domain/grant-record.js';
import type { KeyDirectory, StoredKey } from './key-store.js';

/** What a look-up found, and whether the presented secret is the key's. */
export interface LookedUp {
  readonly key: StoredKey | undefined;
  readonly secretMatched: boolean;
  /** The newest version of the grant that the key carries. Looked up only for a secret that matched. */
  readonly grant: GrantRecord | undefined;
}

/** How the grant of a key is found. @throws Failure when the store does not answer. */
export type FindGrant = (organizationId: string, grantId: string) => Promise<GrantRecord | undefined>;

interface Entry {
  readonly until: number;
  readonly found: Promise<LookedUp>;
}

// Revocation reaches every process within 2 s (decision record 0018); the rest is for the look-up itself.
const REMEMBERED_MS = 1500;
const MOST_ENTRIES = 10_000;

/**
 * Remembers look-ups for a moment, so that a busy key does not cost a query a call. Keyed by the SHA-256 of the token: no
 * token stays in memory. Calls that arrive during a look-up share it. Bounded: the oldest entry makes room.
 */
export class RecentLookups {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly directory: KeyDirectory,
    private readonly findGrant: FindGrant,
    private readonly clock: Clock,
  ) {}

  /** @throws Failure of the directory; it is not remembered. */
  of(token: string, keyId: string, matches: (key: StoredKey) => boolean): Promise<LookedUp> {
    const digest = createHash('sha256').update(token).digest('base64');
    const now = this.clock.now();
    const known = this.entries.get(digest);
    // A clock that was set back must not prolong what is remembered.
    if (known !== undefined && now < known.until && known.until - now <= REMEMBERED_MS) return known.found;
    this.entries.delete(digest);
    const entry: Entry = { until: now + REMEMBERED_MS, found: this.lookUp(keyId, matches) };
    entry.found.catch(() => {
      if (this.entries.get(digest) === entry) this.entries.delete(digest);
    });
    this.remember(digest, entry);
    return entry.found;
  }

  private async lookUp(keyId: string, matches: (key: StoredKey) => boolean): Promise<LookedUp> {
    const key = await this.directory.find(keyId);
    const secretMatched = key !== undefined && matches(key);
    const grantId = secretMatched ? key.grantId : null;
    const grant = grantId === null ? undefined : await this.findGrant(key?.organizationId ?? '', grantId);
    return { key, secretMatched, grant };
  }

  private remember(digest: string, entry: Entry): void {
    if (this.entries.size >= MOST_ENTRIES) {
      const oldest = this.entries.keys().next();
      if (oldest.done !== true) this.entries.delete(oldest.value);
    }
    this.entries.set(digest, entry);
  }
}
