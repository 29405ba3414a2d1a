/**
 * The canonical form of a JSON value (RFC 8785): no white space, members sorted by the UTF-16 code units of their names,
 * numbers and strings as ECMAScript writes them. Two values have the same form exactly when they say the same.
 *
 * Members that are undefined are left out, as JSON.stringify does. An unpaired surrogate, which RFC 8785 refuses, is written
 * as its escape: it must not make a request unanswerable. Depth is bounded by whoever read the value.
 * @throws TypeError for what JSON cannot say: numbers that are not finite, functions, symbols, bigints.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('JSON has no number that is not finite');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object') return canonicalObject(value);
  throw new TypeError(`JSON has no ${typeof value}`);
}

function canonicalObject(value: object): string {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1)); // by code units: what < means for strings
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
