import { Failure } from '../../../kernel/failure/failure.js';
import type { Clock } from '../../../kernel/time.js';

/**
 * What was used before. Bounded: when all places are taken by what has not yet ended, nothing is let through, because the
 * place for one is not made by forgetting another.
 */
export class ReplayStore {
  private readonly until = new Map<string, number>();
  private sweptAt = 0;

  constructor(
    private readonly most: number,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes a name once until a moment. Milliseconds.
   * @param name kept as it is: a digest, so that places are of one size
   * @throws Failure `limit.busy` when no place is free.
   */
  isFirst(name: string, until: number): boolean {
    const now = this.clock.now();
    const known = this.until.get(name);
    if (known !== undefined && known > now) return false;
    if (this.until.size >= this.most) this.sweep(now);
    if (this.until.size >= this.most) throw new Failure('limit.busy', { auditReason: 'replay_store_full' });
    this.until.set(name, until);
    return true;
  }

  /** At most once a second: a full store must not cost a walk through it on every call. */
  private sweep(now: number): void {
    if (Math.abs(now - this.sweptAt) < 1000) return;
    this.sweptAt = now;
    for (const [name, until] of this.until) if (until <= now) this.until.delete(name);
  }
}
