const VIN = /^[A-HJ-NPR-Z0-9]{17}$/;
const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const LETTERS = 'A1B2C3D4E5F6G7H8J1K2L3M4N5P7R9S2T3U4V5W6X7Y8Z9';
const VALUES = new Map<string, number>([
  ...Array.from({ length: 10 }, (_, d) => [String(d), d] as const),
  ...Array.from(
    { length: LETTERS.length / 2 },
    (_, i) => [LETTERS.charAt(2 * i), Number(LETTERS.charAt(2 * i + 1))] as const,
  ),
]);

export type VinReading =
  | {
      readonly kind: 'vin';
      readonly vin: string;
      readonly checksum: 'passed' | 'failed' | 'not_applicable';
      readonly digitFits: boolean;
    }
  | { readonly kind: 'invalid' | 'placeholder' };

/**
 * Reads a VIN: spaces dropped, upper case, 17 characters without I, O and Q. The check digit binds only the manufacturers
 * of the United States, Canada and Mexico (first character 1 to 5); `digitFits` tells it for all.
 */
export function readVin(raw: string): VinReading {
  const vin = raw.replace(/\s+/g, '').toUpperCase();
  if (!VIN.test(vin)) return { kind: 'invalid' };
  // A run of one character passes the check digit and is never a car.
  if (/^(.)\1{16}$/.test(vin) || vin === '12345678901234567') return { kind: 'placeholder' };
  const digitFits = checkDigit(vin) === vin.charAt(8);
  const binding = vin.charAt(0) >= '1' && vin.charAt(0) <= '5';
  return { kind: 'vin', vin, digitFits, checksum: binding ? (digitFits ? 'passed' : 'failed') : 'not_applicable' };
}

function checkDigit(vin: string): string {
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += (WEIGHTS[i] ?? 0) * (VALUES.get(vin.charAt(i)) ?? 0);
  const rest = sum % 11;
  return rest === 10 ? 'X' : String(rest);
}
