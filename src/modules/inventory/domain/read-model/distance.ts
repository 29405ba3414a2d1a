/** Exact: a mile is 1,609.344 m (DAP-UV-005 asks for a stated rule of conversion). */
const MILLIMETRES = { mi: 1_609_344, km: 1_000_000 } as const;

/**
 * A distance in whole millimetres, so that miles and kilometres compare as integers. Exact up to 2^53 - 1 mm, which is more
 * than any stored odometer (a 32-bit number of miles); what is longer is cut to that, and still longer than all of them.
 */
export function millimetresOf(value: number, unit: 'mi' | 'km'): number {
  return Math.min(value * MILLIMETRES[unit], Number.MAX_SAFE_INTEGER);
}
