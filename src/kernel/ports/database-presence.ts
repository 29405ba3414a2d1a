import type { Failure } from '../failure/failure.js';

/** Port: whether the database answers, as seen a moment ago. Nothing here asks it: the answer is there at once. */
export interface DatabasePresence {
  readonly away: boolean;
  /** The failure of what cannot be done without the database: `upstream.unavailable`. */
  failure(): Failure;
  /** Calls once each time that the database goes away. @returns how to stop listening. */
  onAway(listener: () => void): () => void;
  /** Calls once each time that it is back. @returns how to stop listening. */
  onBack(listener: () => void): () => void;
}

export const DATABASE_PRESENCE = Symbol('DatabasePresence');

/** For parts that are put together without a watch: the database is never said to be away. */
export const ALWAYS_PRESENT: Pick<DatabasePresence, 'away' | 'onAway' | 'onBack'> = {
  away: false,
  onAway: () => () => undefined,
  onBack: () => () => undefined,
};
