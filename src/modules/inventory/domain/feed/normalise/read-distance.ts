import type { NumberStyle } from './read-number.js';
import { plainDecimal, plainSpaces } from './read-number.js';

export type DistanceUnit = 'mi' | 'km';

export type DistanceReading =
  | { readonly kind: 'distance'; readonly value: number; readonly unit?: DistanceUnit }
  | { readonly kind: 'unknown'; readonly stated: boolean }
  | { readonly kind: 'invalid' };

const PARTS = /^(\d(?:[\d., ]*\d)?) ?([\p{L}.]*)$/u;
/** True mileage unknown, exempt from disclosure, and what else is written where nothing is known. */
const UNKNOWN = /^(?:tmu|exempt|unknown|not actual|#?n\.?\/?a\.?|tbd|call|none|null|[^\p{L}\p{N}]*)$/iu;
const UNITS: Readonly<Record<string, DistanceUnit>> = {
  mi: 'mi',
  mile: 'mi',
  miles: 'mi',
  km: 'km',
  kms: 'km',
  kilometer: 'km',
  kilometers: 'km',
  kilometre: 'km',
  kilometres: 'km',
};
/** More than any car has run. */
const MAX_DISTANCE = 9_999_999;

/** Reads an odometer cell: "52,777 miles", "85 000", "84,500 km". Unknown stays unknown, never zero (DAP-CORE-028). */
export function readDistance(raw: string, style: NumberStyle): DistanceReading {
  const text = plainSpaces(raw);
  if (text === '') return { kind: 'unknown', stated: false };
  if (UNKNOWN.test(text)) return { kind: 'unknown', stated: true };
  const parts = PARTS.exec(text);
  const decimal = parts === null ? undefined : plainDecimal(parts[1] ?? '', style);
  const unit = unitNamed(parts?.[2] ?? '');
  if (decimal === undefined || unit === 'invalid') return { kind: 'invalid' };
  const [whole = '', fraction = ''] = decimal.split('.');
  if (!/^0*$/.test(fraction) || whole.length > 9 || Number(whole) > MAX_DISTANCE) return { kind: 'invalid' };
  return unit === undefined
    ? { kind: 'distance', value: Number(whole) }
    : { kind: 'distance', value: Number(whole), unit };
}

/** The unit that a word names; undefined for none. */
export function unitNamed(word: string): DistanceUnit | 'invalid' | undefined {
  const key = word.trim().toLowerCase().replaceAll('.', '');
  if (key === '') return undefined;
  return Object.hasOwn(UNITS, key) ? (UNITS[key] ?? 'invalid') : 'invalid';
}
