import { newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import type { AuditRecorder } from '../../../kernel/ports/audit-recorder.js';
import type { Clock } from '../../../kernel/time.js';

/** What the guard of legal holds refused. */
export interface HoldRefusal {
  readonly holdId: string;
  /** Undefined while the hold is counted: then no table's rows may go. */
  readonly table: string | undefined;
}

/**
 * Records deletions that a hold refused, with its id. The refusal took its own transaction back, so this is beside it, and
 * durable when it resolves. What staff are refused is recorded by the edge; this is for work that nobody waits for.
 */
export class RefusedDeletions {
  constructor(
    private readonly recorder: Pick<AuditRecorder, 'record'>,
    private readonly clock: Clock,
    /** Tells the guard's refusals from other errors. */
    private readonly refusalOf: (error: unknown) => HoldRefusal | undefined,
  ) {}

  /**
   * Runs work that may delete. A refusal by the guard is recorded and goes on to the caller, like every other error.
   * @param actor name of the work, for example `feed_files.sweep`
   */
  async watch<T>(organizationId: string, actor: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const refusal = this.refusalOf(error);
      if (refusal !== undefined) await this.record(organizationId, actor, refusal);
      throw error;
    }
  }

  /** @param resourceIds what else it was about, for example a run */
  record(
    organizationId: string,
    actor: string,
    { holdId, table }: HoldRefusal,
    resourceIds: readonly string[] = [],
  ): Promise<void> {
    const eventId = newRequestId();
    return this.recorder.record({
      ...{ eventId, traceId: traceIdOfRequest(eventId), surface: 'worker', actorKind: 'system', actor, client: null },
      occurredAt: this.clock.now(),
      organizationId,
      operation: 'holds.refuse_deletion',
      profile: null,
      rooftopIds: [],
      resourceIds: [holdId, ...(table === undefined ? [] : [table]), ...resourceIds],
      decision: 'deny',
      reason: table === undefined ? 'hold_counting' : 'held',
      policyVersion: null,
      outcome: 'denied',
      failureCode: 'input.held',
      purpose: null,
    });
  }
}
