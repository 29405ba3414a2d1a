/** The same length, so that nothing behind it moves: white space between JSON tokens means nothing. */
const CURRENT = Buffer.from('"state":"current"');
const STALE = Buffer.from('"state":"stale"  ');

/**
 * Makes the facts inside a vehicle's head stale with the vehicle: a used-vehicle summary carries a freshness of its own, and
 * a stale record is never shown as current (DAP-CORE-024). Text of a dealer cannot be mistaken for a state: its quotation
 * marks are escaped.
 * @param bytes a copy of a head, changed in place.
 */
export function markStale(bytes: Buffer): void {
  for (let at = bytes.indexOf(CURRENT); at !== -1; at = bytes.indexOf(CURRENT, at)) STALE.copy(bytes, at);
}
