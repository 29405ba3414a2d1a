import { Ticker, type TickerLog } from '../../../platform/ticker.js';
import type { DeliverHoldNotices } from '../app/deliver-hold-notices.js';
import type { RemindOfHolds } from '../app/remind-of-holds.js';

const REMIND_MS = 60_000;
const SEND_MS = 5000;

/** Reminds of notices and sends them, in every process that takes jobs. The database says what is due; no queue can lose it. */
export class NoticeJobs {
  private readonly tickers: readonly Ticker[];

  constructor(reminding: RemindOfHolds, delivering: DeliverHoldNotices, log: TickerLog) {
    this.tickers = [
      new Ticker('remind of hold notices', REMIND_MS, () => reminding.run(), log),
      new Ticker('send hold notices', SEND_MS, () => delivering.run(), log),
    ];
  }

  start(): void {
    for (const ticker of this.tickers) ticker.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tickers.map((ticker) => ticker.stop()));
  }
}
