import type { FailureCode } from '../../kernel/failure/registry.js';
import type { ProbingWatch } from '../../kernel/ports/probing-watch.js';
import type { FailurePauses } from './failure-pauses.js';

/** Answers that say that nothing is there for the caller. */
const MISSES: ReadonlySet<FailureCode> = new Set(['resource.not_found', 'vehicle.not_found', 'grant.tenant_forbidden']);

/** Pauses callers after too many misses, whatever they missed. */
export class ProbingPauses implements ProbingWatch {
  constructor(private readonly pauses: FailurePauses) {}

  pausedMs(who: string): number {
    return this.pauses.pausedMs(who);
  }

  ended(who: string, code: FailureCode): void {
    if (MISSES.has(code)) void this.pauses.failed(who);
  }
}
