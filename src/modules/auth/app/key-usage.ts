import type { Clock } from '../../../kernel/time.js';
import type { StoredKey } from './key-store.js';

const MINUTE_MS = 60_000;
const MOST_KEYS = 50_000;

/** Port: where the last use of keys is kept. */
export interface KeyUsageStore {
  /** @param minute milliseconds of a whole minute; a later use that is known stays. */
  write(organizationId: string, keyIds: readonly string[], minute: number): Promise<void>;
}

/**
 * Remembers when keys were last used, to the minute, and writes it apart from the calls: each key at most once a minute from
 * each process. What cannot be written waits for the next time; what a killed process had not written is lost.
 */
export class KeyUsage {
  private readonly noted = new Map<string, { readonly organizationId: string; readonly minute: number }>();
  private readonly waiting = new Set<string>();

  constructor(
    private readonly store: KeyUsageStore,
    private readonly clock: Clock,
  ) {}

  /** Costs a call a look into a map. */
  note({ keyId, organizationId }: StoredKey): void {
    const minute = Math.floor(this.clock.now() / MINUTE_MS) * MINUTE_MS;
    if (this.noted.get(keyId)?.minute === minute) return;
    if (this.noted.size >= MOST_KEYS && this.waiting.size === 0) this.noted.clear();
    this.noted.set(keyId, { organizationId, minute });
    this.waiting.add(keyId);
  }

  /** Writes what has been noted. @throws Failure of the store; nothing is lost by it. */
  async flush(): Promise<void> {
    const groups = new Map<string, { organizationId: string; minute: number; keyIds: string[] }>();
    for (const keyId of this.waiting) {
      const use = this.noted.get(keyId);
      if (use === undefined) continue;
      const name = `${use.organizationId} ${use.minute}`;
      const group = groups.get(name) ?? { ...use, keyIds: [] };
      group.keyIds.push(keyId);
      groups.set(name, group);
    }
    for (const { organizationId, minute, keyIds } of groups.values()) {
      await this.store.write(organizationId, keyIds, minute);
      for (const keyId of keyIds) if (this.noted.get(keyId)?.minute === minute) this.waiting.delete(keyId);
    }
  }
}
