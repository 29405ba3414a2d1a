import type { Halt } from '../domain/brake.js';

/** Thrown inside a batch that must not commit: the run stops. */
export class Halted extends Error {
  constructor(readonly halt: Halt) {
    super(`the retention run is halted: ${halt.kind}`);
  }
}

/** A halt that has nothing to measure. */
export const plainHalt = (kind: Halt['kind']): Halt => ({ kind, part: null, measured: null, allowed: null });
