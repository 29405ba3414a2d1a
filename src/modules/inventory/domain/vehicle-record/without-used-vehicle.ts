const BEGIN = ',"used_vehicle":{';
/** The vehicle's own provenance, which follows the summary and is the last one. */
const BEHIND = ',"provenance":{';

/**
 * A head without its used-vehicle summary: a rooftop that stops publishing its inventory age is obeyed at once, not when its
 * next file comes. Text of a dealer cannot be mistaken for a member: its quotation marks are escaped.
 */
export function withoutUsedVehicle(head: string): string {
  const begin = head.indexOf(BEGIN);
  return begin === -1 ? head : head.slice(0, begin) + head.slice(head.lastIndexOf(BEHIND));
}
