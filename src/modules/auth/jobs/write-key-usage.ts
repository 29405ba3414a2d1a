import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LIMITS } from '../../../kernel/limits.js';
import { Ticker } from '../../../platform/ticker.js';
import { KeyUsage } from '../app/key-usage.js';

/** Writes the last use of keys every few seconds, and once more before the process ends. */
@Injectable()
export class WriteKeyUsage implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('KeyUsage');
  private readonly ticker: Ticker;

  constructor(@Inject(KeyUsage) private readonly usage: KeyUsage) {
    this.ticker = new Ticker('last use of keys', LIMITS.keyUsageFlushMs.value, () => usage.flush(), this.log);
  }

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ticker.stop();
    await this.usage.flush().catch(() => undefined); // the database may be gone: a last use is not worth a failed stop
  }
}
