/** What is known of a unit beside its row; few units have any. */
export interface UnitNotes {
  /** Milliseconds: when the event happened that set the price in place of the row. */
  readonly pricedAt?: number;
  /** What the dealer reviewed of what sources disagree on: the hash of what they said, for each field. */
  readonly reviewed?: ReadonlyMap<string, string>;
}

export const NO_NOTES: UnitNotes = {};
