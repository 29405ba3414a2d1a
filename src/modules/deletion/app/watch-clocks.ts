import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { clockFault, type Moment } from '../domain/clock-sanity.js';
import type { Halt } from '../domain/brake.js';
import type { RunStore } from './run-store.js';

const LOOK_EVERY_MS = 1000;

/** Looks at the clocks before a run begins and about once a second while it works. */
export class WatchClocks {
  private before: Moment | undefined;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: Pick<RunStore, 'now'>,
    private readonly clock: Clock,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** @returns what is wrong with them, or undefined where it looked a moment ago */
  async fault(organizationId: string): Promise<Halt | undefined> {
    if (this.before !== undefined && this.monotonic() - this.before.monotonic < LOOK_EVERY_MS) return undefined;
    const database = await this.unitOfWork.withTenant(organizationId, (tx) => this.store.now(tx));
    const now = { database, node: this.clock.now(), monotonic: this.monotonic() };
    const fault = clockFault(now, this.before);
    this.before = now;
    return fault;
  }
}
