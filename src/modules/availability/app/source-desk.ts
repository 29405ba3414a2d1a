import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { RateLimiter } from '../../../kernel/ports/rate-limiter.js';
import type { Clock } from '../../../kernel/time.js';
import { CircuitBreaker } from '../domain/circuit-breaker.js';
import { isCurrent, readSourceAnswer, type SourceObservation } from '../domain/source-observation.js';
import type { AvailabilitySource, SourceQuestion } from './availability-source.js';
import { SourceFailed } from './availability-source.js';

const BREAKER = { failures: LIMITS.sourceFailures.value, openMs: LIMITS.sourcePauseMs.value };
const MOST_REMEMBERED = 50_000;

/** Which of our units a question is about; no two tenants, rooftops or configurations share an answer. */
export interface DeskQuestion extends SourceQuestion {
  readonly organizationId: string;
  readonly vehicleId: string;
}

/**
 * Stands between callers and the dealers' systems: the same question is asked once at a time, an answer is given again for as
 * long as it is valid (DAP §2.9), and a system that fails is left alone for a while. Nothing here guesses.
 */
export class SourceDesk {
  private readonly answers = new Map<string, SourceObservation>();
  private readonly asking = new Map<string, Promise<SourceObservation>>();
  private readonly breakers = new Map<string, CircuitBreaker>();

  /** @param checksPerMinute questions that each rooftop may put to its source. */
  constructor(
    private readonly source: AvailabilitySource,
    private readonly limiter: RateLimiter,
    private readonly checksPerMinute: number,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws Failure `upstream.unavailable` for a source that does not answer, answers badly or is left alone;
   *   `vehicle.unavailable` for a unit that its own system has no more; `limit.rate_exceeded`.
   */
  async observe(question: DeskQuestion): Promise<SourceObservation> {
    const { organizationId, rooftopId, vehicleId, source } = question;
    const key = JSON.stringify([organizationId, rooftopId, vehicleId, source]);
    const known = this.answers.get(key);
    if (known !== undefined && isCurrent(known, this.clock.now())) return known;
    this.answers.delete(key);
    let asked = this.asking.get(key);
    if (asked === undefined) {
      asked = this.askOnce(question, key).finally(() => this.asking.delete(key));
      this.asking.set(key, asked);
    }
    return asked;
  }

  private async askOnce(question: DeskQuestion, key: string): Promise<SourceObservation> {
    const { organizationId, rooftopId, source } = question;
    const breaker = this.breakerOf(JSON.stringify([organizationId, rooftopId, source.url]));
    await this.limit(`${organizationId}/${rooftopId}`);
    const waitMs = breaker.admit(this.clock.now());
    if (waitMs !== undefined)
      throw new Failure('upstream.unavailable', { retryAfterMs: waitMs, auditReason: 'source_left_alone' });
    try {
      const observation = await this.askThrough(question);
      breaker.succeeded();
      if (observation === 'gone') throw new Failure('vehicle.unavailable', { auditReason: 'source_has_no_such_unit' });
      this.remember(key, observation);
      return observation;
    } catch (error) {
      if (error instanceof Failure) throw error;
      breaker.failed(this.clock.now());
      throw failureOf(error);
    }
  }

  private async askThrough(question: SourceQuestion): Promise<SourceObservation | 'gone'> {
    const reply = await this.source.ask(question);
    if (reply.kind === 'gone') return 'gone';
    const read = readSourceAnswer(reply.body, question.source.valid_seconds, this.clock.now());
    if ('problem' in read) throw new SourceFailed(read.problem);
    return read;
  }

  private async limit(key: string): Promise<void> {
    const { allowed, waitMs } = await this.limiter.take([{ policy: 'source', key, limit: this.checksPerMinute }]);
    if (!allowed) throw new Failure('limit.rate_exceeded', { retryAfterMs: waitMs });
  }

  private remember(key: string, observation: SourceObservation): void {
    if (!isCurrent(observation, this.clock.now())) return;
    if (this.answers.size >= MOST_REMEMBERED) {
      const oldest = this.answers.keys().next();
      if (oldest.done !== true) this.answers.delete(oldest.value);
    }
    this.answers.set(key, observation);
  }

  /** One for each configured source: as many as there are rooftops. */
  private breakerOf(key: string): CircuitBreaker {
    let breaker = this.breakers.get(key);
    if (breaker === undefined) this.breakers.set(key, (breaker = new CircuitBreaker(BREAKER)));
    return breaker;
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof SourceFailed)) return Failure.from(error);
  const auditReason = `source_${error.reason}`;
  return new Failure('upstream.unavailable', { cause: error, auditReason, retryAfterMs: LIMITS.sourceRetryMs.value });
}
