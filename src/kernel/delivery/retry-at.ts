const FIRST_MS = 2000;
const LONGEST_MS = 300_000;

/** When to try again after so many failures in a row: twice as long each time, five minutes at most. */
export const retryAt = (now: number, failures: number): number =>
  now + Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 30));
