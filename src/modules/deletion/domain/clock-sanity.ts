import type { Halt } from './brake.js';

/** The same moment by three clocks, in milliseconds. Only the database's decides; the others tell when it went wrong. */
export interface Moment {
  readonly database: number;
  readonly node: number;
  /** Never set; counts from an arbitrary start of this process. */
  readonly monotonic: number;
}

const APART_MS = 120_000;
const JUMP_MS = 300_000;

/** What is wrong with the clocks: too far apart, or the database's jumped since the moment before. */
export function clockFault(now: Moment, before: Moment | undefined): Halt | undefined {
  const apart = Math.abs(now.database - now.node);
  if (apart > APART_MS) return { kind: 'clock', part: 'apart_ms', measured: apart, allowed: APART_MS };
  if (before === undefined) return undefined;
  const jump = Math.abs(now.database - before.database - (now.monotonic - before.monotonic));
  return jump > JUMP_MS ? { kind: 'clock', part: 'jump_ms', measured: Math.round(jump), allowed: JUMP_MS } : undefined;
}
