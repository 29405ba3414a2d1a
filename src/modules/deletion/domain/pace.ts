/** Transactions of others a second from which on a run makes room. An idle service with its worker makes 14 to 24 for itself. */
const BUSY_PER_SECOND = 50;
/** Records of a batch beside others, so that who meets one waits for little; what that gives is in docs/benchmarks.md. */
const BESIDE_OTHERS = 200;
const LONGEST_REST_MS = 1000;

/**
 * How fast a run goes (decision record 0055). While others work on the database it takes small batches and works a share of the time
 * only; with nobody there it goes as fast as it can. It always ends: a rest has an upper bound.
 */
export class Pace {
  private others: number | undefined;

  /** @param share of the time that it may work beside others, above 0; 1: it makes no room */
  constructor(private readonly share: number) {}

  /** @param perSecond transactions of others; undefined: not known, which is taken for busy */
  note(perSecond: number | undefined): void {
    this.others = perSecond;
  }

  /** Records that a batch may have, at most; Infinity where nobody is in the way. */
  get most(): number {
    return this.makesRoom ? BESIDE_OTHERS : Infinity;
  }

  /** Milliseconds to rest after a batch that took so long. */
  restAfter(ms: number): number {
    return this.makesRoom ? Math.min(LONGEST_REST_MS, ms * (1 / this.share - 1)) : 0;
  }

  private get makesRoom(): boolean {
    return this.share < 1 && (this.others === undefined || this.others >= BUSY_PER_SECOND);
  }
}
