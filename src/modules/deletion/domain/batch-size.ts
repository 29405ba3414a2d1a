const MOST = 1000;
const SLOW_MS = 100;
const FAST_MS = 50;

/** How many records the next batch asks for: no more than a hold would wait for (at most 1,000, and about 100 ms). */
export class BatchSize {
  private size: number;

  constructor(private readonly most: number = MOST) {
    this.size = Math.min(250, most);
  }

  get next(): number {
    return this.size;
  }

  /** After a batch that took so long. */
  took(ms: number): void {
    if (ms > SLOW_MS) this.size = Math.max(1, Math.floor(this.size / 2));
    else if (ms < FAST_MS) this.size = Math.min(this.most, this.size * 2);
  }

  /** Something in the batch was refused: fewer, until it is found. */
  refused(): void {
    this.size = Math.max(1, Math.floor(this.size / 4));
  }
}
