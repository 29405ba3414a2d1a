import { minorUnitExponent, minorUnitsOf } from '../../../../../kernel/money.js';
import type { NumberStyle } from './read-number.js';
import { plainDecimal, plainSpaces } from './read-number.js';

/** `placeholder`: a price word or a number that stands for "no price", as opposed to an empty cell. */
export type AmountReading =
  | { readonly kind: 'amount'; readonly minor: number }
  | { readonly kind: 'unknown'; readonly placeholder: boolean }
  | { readonly kind: 'refused'; readonly reason: 'price_invalid' | 'currency_unexpected' };

const INVALID: AmountReading = { kind: 'refused', reason: 'price_invalid' };
const UNEXPECTED: AmountReading = { kind: 'refused', reason: 'currency_unexpected' };
const PLACEHOLDER: AmountReading = { kind: 'unknown', placeholder: true };
const EMPTY: AmountReading = { kind: 'unknown', placeholder: false };

/** Whole amounts of major units that senders write where they have no price. */
const SENTINELS: ReadonlySet<string> = new Set(['0', '1', '999999']);
const WORDS =
  /^(?:please )?(?:call|contact|ask|inquire|enquire|e-?mail us|see dealer|request|price on|market price|make offer|appelez|contactez)\b/i;
const NO_VALUE = /^(?:#?n\.?\/?a\.?|tbd|tba|poa|none|null|nil|unknown|not available|unavailable|[^\p{L}\p{N}]*)$/iu;
const PARTS = /^([^\d\s+-]*(?: [A-Za-z$]+)?) ?(\d(?:[\d., ]*\d)?) ?([^\d\s]*(?: [A-Za-z$]+)?)$/u;

const DOLLARS: ReadonlySet<string> = new Set(['USD', 'CAD', 'AUD', 'NZD', 'MXN']);
const SIGNS: Readonly<Record<string, string>> = {
  US$: 'USD',
  USD$: 'USD',
  C$: 'CAD',
  CA$: 'CAD',
  CAD$: 'CAD',
  CDN: 'CAD',
  CDN$: 'CAD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
};

/**
 * Reads decimal text of major units into exact minor units, without floating point (DAP-CORE-019). Price words, empty text
 * and 0, 1 and 999999 mean that the price is unknown. Signs and codes must name the expected currency.
 */
export function readMajorAmount(raw: string, currency: string, style: NumberStyle): AmountReading {
  const text = plainSpaces(raw);
  if (text === '') return EMPTY;
  if (WORDS.test(text) || NO_VALUE.test(text)) return PLACEHOLDER;
  const parts = PARTS.exec(text);
  if (parts === null) return INVALID;
  const [before, number, after] = [parts[1] ?? '', parts[2] ?? '', parts[3] ?? ''];
  const marks = [...before.split(' '), ...after.split(' ')].filter((mark) => mark !== '');
  for (const mark of marks) {
    const verdict = judgeMark(mark, currency);
    if (verdict !== undefined) return verdict;
  }
  return exactMinor(plainDecimal(number, style), currency);
}

/**
 * Reads an integer of minor units, taken as written; only 0 and an empty cell are unknown.
 */
export function readMinorAmount(raw: string): AmountReading {
  const text = raw.trim();
  if (text === '') return EMPTY;
  if (!/^\d{1,15}$/.test(text)) return INVALID;
  const minor = Number(text);
  return minor === 0 ? PLACEHOLDER : { kind: 'amount', minor };
}

function judgeMark(mark: string, currency: string): AmountReading | undefined {
  if (mark === '$') return DOLLARS.has(currency) ? undefined : UNEXPECTED;
  const code = Object.hasOwn(SIGNS, mark.toUpperCase()) ? SIGNS[mark.toUpperCase()] : mark.toUpperCase();
  if (code === undefined || !/^\$?[A-Z]{3}\$?$/.test(code)) return INVALID;
  return code.replaceAll('$', '') === currency ? undefined : UNEXPECTED;
}

function exactMinor(decimal: string | undefined, currency: string): AmountReading {
  if (decimal === undefined) return INVALID;
  const [whole = '', fraction = ''] = decimal.split('.');
  // "28.000" is as likely twenty-eight thousand: a third decimal is refused even where it is a zero.
  if (fraction.length > Math.max(2, minorUnitExponent(currency))) return INVALID;
  if (/^0*$/.test(fraction) && SENTINELS.has(whole.replace(/^0+(?=\d)/, ''))) return PLACEHOLDER;
  const minor = minorUnitsOf(decimal, currency);
  return minor === undefined ? INVALID : { kind: 'amount', minor };
}
