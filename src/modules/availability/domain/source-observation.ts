import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../../kernel/limits.js';
import { closed, Timestamp } from '../../../kernel/schema/dap-common.js';
import { compileValidator } from '../../../kernel/schema/validator.js';
import { parseRfc3339 } from '../../../kernel/time.js';

/** The words of DAP §4.3. What a source says beside them is not understood, and therefore unknown. */
export const SOURCE_STATUSES = [
  'available',
  'in_transit',
  'on_hold',
  'pending_sale',
  'sold',
  'unavailable',
  'unknown',
] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** What a source answers about one unit. Closed: a member that we do not know may change what the others mean. */
export const SourceAnswer = Type.Object(
  {
    status: Type.String({ minLength: 1, maxLength: 64 }),
    observed_at: Timestamp,
    valid_until: Type.Optional(Timestamp),
  },
  closed,
);
type SourceAnswer = Static<typeof SourceAnswer>;

/** What a source observed. Times are milliseconds. */
export interface SourceObservation {
  readonly status: SourceStatus;
  readonly observedAt: number;
  /** The end of its own claim or of the configured time, whichever comes first. */
  readonly validUntil: number;
}

/** Why an answer cannot be used. */
export type AnswerProblem = 'answer_malformed' | 'answer_from_the_future';

const violationsOf = compileValidator(SourceAnswer);

/**
 * Reads an answer.
 * @param validSeconds how long an observation of this source counts, by the rooftop's settings.
 * @param now milliseconds. An observation a little ahead of our clock counts as made now; further ahead it is refused,
 *   because it would stay valid for longer than anything that was really seen.
 */
export function readSourceAnswer(
  answer: unknown,
  validSeconds: number,
  now: number,
): SourceObservation | { readonly problem: AnswerProblem } {
  if (violationsOf(answer).length > 0) return { problem: 'answer_malformed' };
  const { status, observed_at, valid_until } = answer as SourceAnswer;
  const said = parseRfc3339(observed_at) ?? NaN;
  if (said - now > LIMITS.sourceSkewSeconds.value * 1000) return { problem: 'answer_from_the_future' };
  const observedAt = Math.min(said, now);
  const claimed = valid_until === undefined ? Infinity : (parseRfc3339(valid_until) ?? NaN);
  return {
    status: isStatus(status) ? status : 'unknown',
    observedAt,
    validUntil: Math.min(observedAt + validSeconds * 1000, claimed),
  };
}

/** Current up to and including the end of its validity; stale afterwards, and never upgraded (DAP-CORE-024). */
export function isCurrent({ validUntil }: Pick<SourceObservation, 'validUntil'>, now: number): boolean {
  return now <= validUntil;
}

const isStatus = (word: string): word is SourceStatus => (SOURCE_STATUSES as readonly string[]).includes(word);
