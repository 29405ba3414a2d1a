export interface TickerLog {
  log(message: string): void;
  warn(message: string): void;
}

/** Repeats a piece of work with a pause in between, never twice at once. A failure is logged once until it is over. */
export class Ticker {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;
  private failing = false;

  constructor(
    private readonly name: string,
    private readonly pauseMs: number,
    private readonly work: () => Promise<unknown>,
    private readonly log: TickerLog,
  ) {}

  /** The first time at once. */
  start(): void {
    this.running = this.tick();
  }

  /** Waits for work that is under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async tick(): Promise<void> {
    try {
      await this.work();
      if (this.failing) this.log.log(`${this.name}: works again`);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.log.warn(`${this.name}: ${String(error)}; trying again`);
      this.failing = true;
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.tick();
    }, this.pauseMs).unref();
  }
}
