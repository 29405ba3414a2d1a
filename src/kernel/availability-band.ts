import type { FreshnessState } from './schema/dap-common.js';

/** The five bands of DAP §4.4, strongest first. */
export const AVAILABILITY_BANDS = ['verified_current', 'recent_authoritative', 'asserted', 'stale', 'unknown'] as const;
export type AvailabilityBand = (typeof AVAILABILITY_BANDS)[number];

/** What is known about a unit's availability at the moment of asking. */
export interface AvailabilityObservation {
  /** Milliseconds; null without a usable observation. */
  readonly observedAt: number | null;
  /** A DAP availability status; `available` is the only one that may be verified current. */
  readonly status: string;
  readonly authority: 'authoritative' | 'asserted' | 'unknown';
  /** State of the record that carries the observation; stale and unknown are never upgraded. */
  readonly state: FreshnessState;
  /** Whether the observation is the answer of an authoritative check made for this question, not a stored record. */
  readonly checked: boolean;
}

const VERIFIED_MS = 120_000;
const AUTHORITATIVE_MS = 900_000;
const ASSERTED_MS = 86_400_000;

/**
 * How strongly availability may be stated (DAP §4.4). Limits are inclusive. An observation slightly ahead of our clock
 * counts as made now.
 * @param now milliseconds.
 */
export function availabilityBand(observation: AvailabilityObservation, now: number): AvailabilityBand {
  const { observedAt, status, authority, state, checked } = observation;
  if (observedAt === null || !Number.isFinite(observedAt) || authority === 'unknown') return 'unknown';
  if (state === 'unknown' || state === 'withdrawn') return 'unknown';
  if (state === 'stale') return 'stale';
  const age = now - observedAt;
  if (authority === 'asserted') return age <= ASSERTED_MS ? 'asserted' : 'stale';
  if (checked && status === 'available' && age <= VERIFIED_MS) return 'verified_current';
  return age <= AUTHORITATIVE_MS ? 'recent_authoritative' : 'stale';
}
