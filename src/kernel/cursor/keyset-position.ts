/**
 * Where a page ended, by value and not by number: the sort key of its last unit and that unit's ids. The next page starts
 * behind it even when units before it came or went meanwhile.
 */
export interface KeysetPosition {
  /** Sort key of the last unit; null without a sort, or when the unit's key is unknown (unknown sorts last). */
  readonly key: number | null;
  readonly rooftopId: string;
  readonly vehicleId: string;
}
