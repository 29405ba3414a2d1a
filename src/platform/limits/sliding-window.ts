/** Parts of a window that are counted on their own. More would renew an allowance sooner after its use, and cost more. */
export const SLOTS = 12;

/** What a window has room for, in milliseconds from now. */
export interface WindowState {
  readonly used: number;
  /** Until the oldest counted calls are given back; 0 where there are none. */
  readonly resetMs: number;
  /** Until one more call fits; 0 where one fits now. */
  readonly waitMs: number;
}

/**
 * Calls of one allowance, counted in slots of a twelfth of its window. The present slot and the twelve before it together
 * cover every window that ends now, so that no window of any position ever holds more calls than the limit; the price is
 * that a call is given back up to one slot later than its window ends. Time that runs backwards counts as standing still.
 */
export class SlidingWindow {
  private readonly counts = new Uint32Array(SLOTS + 1);
  private readonly slotMs: number;
  private newest = 0;
  private total = 0;

  constructor(windowMs: number) {
    this.slotMs = windowMs / SLOTS;
  }

  /** @param limit calls that fit into the window */
  state(now: number, limit: number): WindowState {
    this.advance(now);
    return {
      used: this.total,
      resetMs: this.msUntilGivenBack(now, 1),
      waitMs: this.msUntilGivenBack(now, this.total + 1 - limit),
    };
  }

  /** Counts one call, whatever there is room for. */
  count(now: number): void {
    this.advance(now);
    this.counts[this.newest % (SLOTS + 1)]!++; // eslint-disable-line @typescript-eslint/no-non-null-assertion -- the index is within
    this.total++;
  }

  /** Whether all calls have been given back. */
  isIdle(now: number): boolean {
    this.advance(now);
    return this.total === 0;
  }

  private advance(now: number): void {
    const slot = Math.floor(now / this.slotMs);
    if (slot - this.newest > SLOTS) {
      this.counts.fill(0);
      this.total = 0;
      this.newest = slot;
    }
    while (this.newest < slot) {
      this.newest++;
      this.total -= this.counts[this.newest % (SLOTS + 1)] ?? 0;
      this.counts[this.newest % (SLOTS + 1)] = 0;
    }
  }

  /** Milliseconds until that many of the counted calls have been given back. */
  private msUntilGivenBack(now: number, calls: number): number {
    if (calls <= 0 || this.total === 0) return 0;
    let given = 0;
    for (let slot = this.newest - SLOTS; slot <= this.newest; slot++) {
      given += this.counts[slot % (SLOTS + 1)] ?? 0;
      if (slot >= 0 && given >= calls) return Math.ceil((slot + SLOTS + 1) * this.slotMs - now);
    }
    return Math.ceil((this.newest + SLOTS + 1) * this.slotMs - now);
  }
}
