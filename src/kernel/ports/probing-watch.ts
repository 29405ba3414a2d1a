import type { FailureCode } from '../failure/registry.js';

/**
 * Port: slows down callers that keep asking for what is not there for them. What counts is the code that the caller was
 * answered with and nothing else, so that being slowed down tells no more than the answers did.
 */
export interface ProbingWatch {
  /** Milliseconds that the caller has to wait; 0 when it may go on. */
  pausedMs(who: string): number;
  /** Told how each failed call of the caller ended. */
  ended(who: string, code: FailureCode): void;
}

export const PROBING_WATCH = Symbol('ProbingWatch');

/** How callers are told apart. */
export const whoOf = {
  network: (network: string): string => `network:${network}`,
  agent: (organizationId: string, subject: string): string => `agent:${organizationId}/${subject}`,
  staff: (actor: string): string => `staff:${actor}`,
} as const;
