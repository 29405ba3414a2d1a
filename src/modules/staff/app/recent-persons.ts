import type { Clock } from '../../../kernel/time.js';

// Whoever is disabled is out within 2 s on every process (decision record 0033); the rest is for the look-up itself.
const REMEMBERED_MS = 1500;
const MOST_ENTRIES = 10_000;

/** Remembers for a moment whom tokens belong to. Requests that arrive during a look-up share it; failures are not remembered. */
export class RecentPersons<T> {
  private readonly entries = new Map<string, { readonly until: number; readonly found: Promise<T> }>();

  constructor(private readonly clock: Clock) {}

  of(key: string, lookUp: () => Promise<T>): Promise<T> {
    const now = this.clock.now();
    const known = this.entries.get(key);
    // A clock that was set back must not prolong what is remembered.
    if (known !== undefined && now < known.until && known.until - now <= REMEMBERED_MS) return known.found;
    this.entries.delete(key);
    if (this.entries.size >= MOST_ENTRIES) this.entries.clear();
    const entry = { until: now + REMEMBERED_MS, found: lookUp() };
    this.entries.set(key, entry);
    entry.found.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    });
    return entry.found;
  }
}
