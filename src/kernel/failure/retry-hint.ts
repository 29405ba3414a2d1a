import { LIMITS } from '../limits.js';
import type { Failure } from './failure.js';

/** When a retry is sensible: whole milliseconds from 0 to a day; the default where the failure knows no better. */
export function retryHintMs(failure: Failure, fallback: number = LIMITS.retryAfterMsDefault.value): number {
  const hint = failure.context.retryAfterMs ?? fallback;
  return Math.min(Math.max(0, Math.ceil(hint)), LIMITS.retryAfterMsMax.value);
}
