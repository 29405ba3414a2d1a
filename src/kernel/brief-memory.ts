import type { Clock } from './time.js';

interface Entry<T> {
  readonly until: number;
  readonly found: Promise<T>;
}

/**
 * Remembers what look-ups found for a moment, so that a busy caller does not cost one each time. Calls that arrive during a
 * look-up share it; a failure is not remembered. Bounded: the oldest entry makes room.
 */
export class BriefMemory<T> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(
    private readonly rememberedMs: number,
    private readonly mostEntries: number,
    private readonly clock: Clock,
  ) {}

  of(key: string, lookUp: () => Promise<T>): Promise<T> {
    const now = this.clock.now();
    const known = this.entries.get(key);
    // A clock that was set back must not prolong what is remembered.
    if (known !== undefined && now < known.until && known.until - now <= this.rememberedMs) return known.found;
    this.entries.delete(key);
    const entry = { until: now + this.rememberedMs, found: lookUp() };
    entry.found.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    });
    this.remember(key, entry);
    return entry.found;
  }

  private remember(key: string, entry: Entry<T>): void {
    if (this.entries.size >= this.mostEntries) {
      const oldest = this.entries.keys().next();
      if (oldest.done !== true) this.entries.delete(oldest.value);
    }
    this.entries.set(key, entry);
  }
}

/** Revocation reaches every process within 2 s (decision record 0018); the rest is for the look-up itself. */
export const REVOCABLE_REMEMBERED_MS = 1500;
