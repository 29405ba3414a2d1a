import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { Clock } from '../../../kernel/time.js';
import { rfc3339 } from '../../../kernel/time.js';
import type { TraceContext } from '../../../kernel/trace-context.js';
import type { PublishedUnit, PublishedUnitReader, VehicleSelector } from '../../inventory/index.js';
import { isCurrent, type SourceObservation } from '../domain/source-observation.js';
import type { ConfiguredSource } from './availability-source.js';
import type { SourceDesk } from './source-desk.js';

export interface AvailabilityQuestion {
  readonly organizationId: string;
  readonly rooftopId: string;
  readonly selector: VehicleSelector;
  readonly trace: TraceContext | undefined;
}

/** What an authoritative source says of a published unit, valid at the moment of answering. */
export interface VerifiedAvailability {
  readonly vehicleId: string;
  readonly source: ConfiguredSource;
  readonly observation: SourceObservation;
}

/**
 * Use case: asks the rooftop's own system for the state of one published unit. There is an answer only where the dealer made
 * that system authoritative and it was seen recently enough; everything less is said as what it is (DAP-CORE-036).
 */
export class VerifyAvailability {
  constructor(
    private readonly units: PublishedUnitReader,
    private readonly desk: SourceDesk,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws Failure `vehicle.not_found`, `vehicle.ambiguous` (published units only); `vehicle.stale` without an authoritative
   *   source or with an observation that is too old; `state.conflict` for a unit that was withdrawn while its system was
   *   asked; `vehicle.unavailable`, `upstream.unavailable`, `limit.rate_exceeded` as {@link SourceDesk.observe}.
   */
  async run(question: AvailabilityQuestion): Promise<VerifiedAvailability> {
    const published = await this.find(question);
    const source = published.rooftop.settings.availability_source;
    // A source that the dealer did not make authoritative is not asked: its answer could not be given (DAP §4.3).
    if (source?.authoritative !== true) throw this.withoutAuthority(published);
    const { vin, stockNumber } = published.unit;
    const { organizationId, rooftopId, trace } = question;
    const { vehicleId } = published.facts;
    const observation = await this.desk.observe({
      organizationId,
      rooftopId,
      vehicleId,
      vin,
      stockNumber,
      source,
      trace,
    });
    await this.refuseWithdrawn(question, vehicleId);
    if (!isCurrent(observation, this.clock.now())) throw tooOld(observation, source);
    return { vehicleId, source, observation };
  }

  private find({ organizationId, rooftopId, selector }: AvailabilityQuestion): Promise<PublishedUnit> {
    return this.units.read(organizationId, rooftopId, selector);
  }

  /** The other system took its time, and what is not published must not be spoken about. */
  private async refuseWithdrawn(question: AvailabilityQuestion, vehicleId: string): Promise<void> {
    try {
      await this.find({ ...question, selector: { vehicleId } });
    } catch (error) {
      if (error instanceof Failure && error.code === 'vehicle.not_found')
        throw new Failure('state.conflict', { auditReason: 'withdrawn_during_check' });
      throw error;
    }
  }

  /** Shows how old the published record is; asking again helps once the dealer has connected a system. */
  private withoutAuthority({ facts }: PublishedUnit): Failure {
    const { observedAt, validUntil, inventorySlaSeconds } = facts;
    return new Failure('vehicle.stale', {
      auditReason: 'no_authoritative_source',
      retryAfterMs: LIMITS.unverifiableRetryMs.value,
      freshness: {
        observed_at: rfc3339(observedAt),
        valid_until: rfc3339(validUntil),
        max_age_seconds: inventorySlaSeconds,
        state: this.clock.now() <= validUntil ? 'current' : 'stale',
      },
    });
  }
}

function tooOld({ observedAt, validUntil }: SourceObservation, source: ConfiguredSource): Failure {
  return new Failure('vehicle.stale', {
    auditReason: 'source_observation_stale',
    freshness: {
      observed_at: rfc3339(observedAt),
      valid_until: rfc3339(validUntil),
      max_age_seconds: source.valid_seconds,
      state: 'stale',
    },
  });
}
