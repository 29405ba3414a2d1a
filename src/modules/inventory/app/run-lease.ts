/**
 * The right to work on a run. `attempt` is the fencing token: every write names it, so a worker that lost its lease
 * without noticing cannot change anything any more (field failure 18).
 */
export interface RunLease {
  readonly organizationId: string;
  readonly runId: string;
  readonly attempt: number;
}

/** Thrown when another worker has taken the run over, or it was finished meanwhile. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('another worker has taken this run over');
  }
}
