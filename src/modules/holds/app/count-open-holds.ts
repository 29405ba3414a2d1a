import type { HoldCounting } from '../../../kernel/ports/restore-journal.js';
import type { CountHold } from './count-hold.js';
import type { UncountedHolds } from './hold-listing.js';

const AT_ONCE = 200;

/** Counts every hold that is not counted yet, at once and here: after a restore no worker runs that would (decision record 0048). */
export class CountOpenHolds implements HoldCounting {
  constructor(
    private readonly counting: CountHold,
    private readonly uncounted: UncountedHolds,
  ) {}

  /** @throws Error when another process counts one of them. */
  async countAll(): Promise<void> {
    const { signal } = new AbortController();
    for (;;) {
      const open = await this.uncounted.uncounted(AT_ONCE);
      if (open.length === 0) return;
      for (const { organizationId, holdId } of open)
        if ((await this.counting.run(organizationId, holdId, signal)) === 'stopped')
          throw new Error(
            `hold ${holdId} is being counted by another process: stop every process of the service first`,
          );
    }
  }
}
