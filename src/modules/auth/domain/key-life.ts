/** The times of a key. Milliseconds. */
export interface KeyTimes {
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly retiresAt: number | null;
}

export interface KeyEnd {
  readonly at: number;
  readonly reason: 'revoked' | 'expired' | 'retired';
}

/** When and why a key ends or has ended, whichever comes first; undefined for one that has no end. */
export function endOfKeyEver({ expiresAt, revokedAt, retiresAt }: KeyTimes): KeyEnd | undefined {
  const ends: KeyEnd[] = [];
  if (revokedAt !== null) ends.push({ at: revokedAt, reason: 'revoked' });
  if (expiresAt !== null) ends.push({ at: expiresAt, reason: 'expired' });
  if (retiresAt !== null) ends.push({ at: retiresAt, reason: 'retired' });
  return ends.toSorted((a, b) => a.at - b.at)[0];
}

/** Why a key does not count any more; undefined while it does. */
export function endOfKey(times: KeyTimes, now: number): KeyEnd | undefined {
  const end = endOfKeyEver(times);
  return end !== undefined && end.at <= now ? end : undefined;
}
