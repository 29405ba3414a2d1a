/** Exact: a mile is 1,609.344 m (DAP-UV-005 asks for a stated rule of conversion). */
const MILLIMETRES = { mi: 1_609_344, km: 1_000_000 } as const;

/** A distance in whole millimetres, so that miles and kilometres compare exactly. */
export function millimetresOf(value: number, unit: 'mi' | 'km'): number {
  return value * MILLIMETRES[unit];
}
