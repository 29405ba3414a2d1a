/** Key in a vehicle's `extensions` that names the other rooftops which publish the same VIN. */
const DUPLICATE_VIN = 'org.forecourt.duplicate-vin';

/**
 * The tail of a vehicle whose VIN is published elsewhere, too: the plain tail with the mark before its last brace.
 * @param otherRooftopIds those the caller may see, ascending; never empty.
 */
export function markedTail(tail: string, otherRooftopIds: readonly string[]): string {
  const mark = JSON.stringify({ [DUPLICATE_VIN]: { other_rooftop_ids: otherRooftopIds } });
  return `${tail.slice(0, -1)},"extensions":${mark}}`;
}
