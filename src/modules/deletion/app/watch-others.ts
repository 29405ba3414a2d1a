import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { RunStore } from './run-store.js';

const LOOK_EVERY_MS = 1000;

interface Look {
  readonly at: number;
  readonly transactions: number;
}

/** How much others work on the database while a run does, by its counter of transactions: about once a second. */
export class WatchOthers {
  private before: Look | undefined;
  private own = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: Pick<RunStore, 'transactions' | 'shown'>,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** A transaction of the run itself. */
  noteOwn(): void {
    this.own++;
  }

  /** Whether it is time to look again. */
  get due(): boolean {
    return this.before === undefined || this.monotonic() - this.before.at >= LOOK_EVERY_MS;
  }

  /** @returns transactions of others a second since it looked before; undefined the first time, and where the counter was reset */
  async perSecond(organizationId: string): Promise<number | undefined> {
    // One after the other, and so by the connection that the batches have: their own transactions are in the counter.
    await this.unitOfWork.withTenant(organizationId, (tx) => this.store.shown(tx));
    const transactions = await this.unitOfWork.withTenant(organizationId, (tx) => this.store.transactions(tx));
    const now = { at: this.monotonic(), transactions };
    const { before } = this;
    const own = this.own + 1;
    [this.before, this.own] = [now, 1]; // reading it is in what the next look sees
    if (before === undefined || transactions < before.transactions) return undefined;
    return Math.max(0, transactions - before.transactions - own) / ((now.at - before.at) / 1000);
  }
}
