/** A record as a hold lists it. */
export interface HeldRecord {
  readonly category: string;
  readonly recordId: string;
}

/** `category`, line feed, record id: the bytes of a leaf. No category has a line feed in it. */
export const heldRecordOf = (listed: string): HeldRecord => {
  const end = listed.indexOf('\n');
  return { category: listed.slice(0, end), recordId: listed.slice(end + 1) };
};
