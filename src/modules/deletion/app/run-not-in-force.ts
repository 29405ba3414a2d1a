/** What is no longer what was approved. */
export type OutOfForce = 'run' | 'lease' | 'policy' | 'clock' | 'preview_expired' | 'live_set';

/** A batch that may not be: its run, its lease or its policy is no longer what was approved. Nothing was taken. */
export class RunNotInForce extends Error {
  constructor(
    readonly part: OutOfForce,
    options?: ErrorOptions,
  ) {
    super(`the retention run is not in force: ${part}`, options);
  }
}
