/** An exact amount: integer minor units of an ISO 4217 currency (DAP-CORE-018). */
export interface Money {
  readonly amount_minor: number;
  readonly currency: string;
}

const EXPONENT_ZERO = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ');
const EXPONENT_THREE = 'BHD IQD JOD KWD LYD OMR TND'.split(' ');
const EXPONENTS = new Map<string, number>([
  ...EXPONENT_ZERO.map((c) => [c, 0] as const),
  ...EXPONENT_THREE.map((c) => [c, 3] as const),
]);

/** Number of decimals of a currency's minor unit: 0, 2 or 3. */
export function minorUnitExponent(currency: string): number {
  return EXPONENTS.get(currency) ?? 2;
}

const PLAIN_DECIMAL = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

/**
 * Converts a plain decimal ("19995", "19995.5") of major units to integer minor units, exactly or not at all
 * (DAP-CORE-019). Trailing zeros beyond the exponent are exact; any other extra digit is not.
 * @returns the minor units, or undefined when the text is no plain decimal or not exactly representable.
 */
export function minorUnitsOf(decimal: string, currency: string): number | undefined {
  const match = PLAIN_DECIMAL.exec(decimal);
  if (match === null) return undefined;
  const exponent = minorUnitExponent(currency);
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > exponent) return undefined;
  const minor = Number(`${match[1] ?? ''}${fraction.padEnd(exponent, '0')}`);
  return Number.isSafeInteger(minor) ? minor : undefined;
}
