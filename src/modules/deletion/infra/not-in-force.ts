import { RunNotInForce, type OutOfForce } from '../app/run-not-in-force.js';

const REFUSAL = /retention run not in force: (run|lease|policy|clock|preview_expired|live_set)/;

/**
 * What begin_retention_batch and end_retention_batch refuse, in the product's words. Prisma hides SQLSTATE and constraint, so the
 * message tells. Anything else comes back unchanged.
 */
export function notInForce(error: unknown): unknown {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const found = REFUSAL.exec(current.message)?.[1];
    if (found !== undefined) return new RunNotInForce(found as OutOfForce, { cause: error });
    current = current.cause;
  }
  return error;
}
