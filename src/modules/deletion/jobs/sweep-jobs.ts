import { Ticker, type TickerLog } from '../../../platform/ticker.js';
import type { SweepDaily } from '../app/sweep-daily.js';

const SWEEP_MS = 30_000;

/** Asks for the sweeps of the day and lets them go on. What is due says the database, so that a lost queue or worker loses no day. */
export class SweepJobs {
  private readonly ticker: Ticker;

  constructor(sweeping: SweepDaily, log: TickerLog) {
    this.ticker = new Ticker('sweep under standing approvals', SWEEP_MS, () => sweeping.run(), log);
  }

  start(): void {
    this.ticker.start();
  }

  stop(): Promise<void> {
    return this.ticker.stop();
  }
}
