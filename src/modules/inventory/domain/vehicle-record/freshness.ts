/**
 * State of a published record at read time: current up to and including `validUntil`, stale afterwards (DAP-CORE-024: a
 * stale record is never shown as current). Milliseconds.
 */
export function freshnessState(validUntil: number, now: number): 'current' | 'stale' {
  return now <= validUntil ? 'current' : 'stale';
}
