import type { Violation } from '../kernel/failure/violation.js';
import { MAX_VIOLATIONS } from '../kernel/failure/violation.js';

type Kind = 'an e-mail address' | 'a telephone number' | 'a social security number' | 'a payment card number';

/** Members that name a record: a number inside one is part of a name, and only a whole value that is written like a person's counts. */
const NAMING_MEMBER = /(?:_ids?|^vin|^stock_number|^cursor)$/;

/**
 * Finds what looks like customer data in arguments: e-mail addresses, telephone numbers, social security numbers and card
 * numbers in any string (decision record 0028). Core tools never need them, so the call is refused before anything is run.
 * @returns where, and which kind; never the value.
 */
export function findCustomerData(input: unknown): readonly Violation[] {
  const found: Violation[] = [];
  search(input, '', '', found);
  return found;
}

function search(value: unknown, pointer: string, member: string, found: Violation[]): void {
  if (found.length >= MAX_VIOLATIONS) return;
  if (typeof value === 'string') {
    const kind = kindOf(value, NAMING_MEMBER.test(member));
    if (kind !== undefined)
      found.push({
        pointer,
        keyword: 'customer_data',
        explanation: `looks like ${kind}; this operation accepts no customer data`,
      });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) search(item, `${pointer}/${index}`, member, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value))
      search(item, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, name, found);
  }
}

/** Full-width digits and invisible characters do not hide a number. */
const plainly = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .trim();

/** Not glued to letters, digits, a price sign or a longer name on either side. */
const alone = (number: RegExp): RegExp =>
  new RegExp(`(?<![\\p{L}\\d_.$-])(?:${number.source})(?![\\p{L}\\d_]|-\\d)`, 'gu');

const EMAIL = /[^\s@<>()[\]",;:]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/u;
const CARD = alone(/\d{13,19}|\d{4}(?: \d{4}){3}|\d{4}(?:-\d{4}){3}|\d{4}([ -])\d{6}\1\d{5}/);
/** In its three groups. Nine digits in a row are as likely anything else, and are let through. */
const SOCIAL_SECURITY_NUMBER = alone(/(?!000|666|9)\d{3}(?:-(?!00)\d{2}-|\x20(?!00)\d{2}\x20)(?!0000)\d{4}/);
const NORTH_AMERICAN = alone(/(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]?\d{4}/);
/** Grouped with hyphens or dots, or with the area in brackets: nothing else is written like that, whether or not it is assigned. */
const NORTH_AMERICAN_GROUPED = alone(
  /(?:\+?1[ .-]?)?(?:\(\d{3}\) ?\d{3}[ .-]?\d{4}|\d{3}-\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4})/,
);
/** With the prefix that is dialled from most of the world for the plus. */
const INTERNATIONAL_DIALLED = alone(/00[1-9](?:[ ().-]{0,2}\d){9,13}/);
const NORTH_AMERICAN_BARE = alone(/1?[2-9]\d{2}[2-9]\d{6}/);
const INTERNATIONAL = alone(/\+[1-9](?:[ ().-]{0,2}\d){9,14}/);

/** Numbers apart by spaces that end in a model year are a shopper's list ("300 350 2019"), not a number. */
const isShopping = (number: string): boolean => / (?:19[89]\d|20[0-4]\d)$/.test(number);

function kindOf(text: string, names: boolean): Kind | undefined {
  const plain = plainly(text);
  if (EMAIL.test(plain)) return 'an e-mail address';
  if (!/\d(?:\D{0,2}\d){8}/.test(plain)) return undefined; // nothing below has fewer than nine digits
  const written = (pattern: RegExp): readonly string[] => {
    const all = [...plain.matchAll(pattern)].map(([number]) => number);
    return names ? all.filter((number) => number === plain) : all;
  };
  if (written(CARD).some(isCard)) return 'a payment card number';
  if (written(SOCIAL_SECURITY_NUMBER).some((number) => !isShopping(number))) return 'a social security number';
  const telephones = [...written(NORTH_AMERICAN).filter((number) => !isShopping(number)), ...written(INTERNATIONAL)];
  const bare = names ? [] : [NORTH_AMERICAN_BARE, NORTH_AMERICAN_GROUPED, INTERNATIONAL_DIALLED].flatMap(written);
  return telephones.length + bare.length > 0 ? 'a telephone number' : undefined;
}

/** Issuers' ranges: Visa, Mastercard, American Express, Discover, Diners Club, JCB, UnionPay. No card has 17 digits, as a VIN has. */
const ISSUED =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14}|62\d{17})$/;

function isCard(number: string): boolean {
  const digits = number.replaceAll(/\D/g, '');
  return ISSUED.test(digits) && passesLuhn(digits);
}

/** The check digit of ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const counted = i % 2 === 0 ? digit : digit * 2;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
