const FIRST_MS = 1000;
const LONGEST_MS = 3_600_000;
/** A week: after it a stream stops, and goes on from where it was when somebody resumes it. */
export const GIVE_UP_MS = 7 * 86_400_000;

/** How long to wait after so many failures in a row: twice as long each time, up to an hour, a quarter of it by chance. */
export function backoffMs(failures: number, chance: number = Math.random(), firstMs: number = FIRST_MS): number {
  const whole = Math.min(firstMs * 2 ** Math.min(failures, 20), LONGEST_MS);
  return Math.round(whole * (0.75 + chance / 4));
}
