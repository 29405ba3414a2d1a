import { type ChangeHashes, changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Violation } from '../../../kernel/failure/violation.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { DealerDirectory, Rooftop } from '../../tenancy/index.js';
import type { ChangeAudit, ChangeOrigin } from './change-audit.js';
import type { PublicationStore } from './publication-store.js';
import type { UnitEvent, UnitEventEffect } from './unit-event.js';
import { effectOf, isSameEvent } from './unit-event.js';
import type { UnitEventStore } from './unit-event-store.js';

export interface UnitEventAnswer {
  readonly eventId: string;
  readonly effect: UnitEventEffect;
}

export interface UnitEventStores {
  readonly events: UnitEventStore;
  readonly publication: PublicationStore;
  readonly audit: ChangeAudit;
}

/** Takes a single-unit event in: a car sold, removed or repriced between two files (field failure 6). */
export class ApplyUnitEvent {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly stores: UnitEventStores,
    private readonly directory: DealerDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Once for each event id: the same event again gets the same answer.
   * @throws Failure `resource.not_found` for an unknown rooftop, `input.invalid`, `idempotency.mismatch` when the id was
   *   used before for something else.
   */
  async run(organizationId: string, event: UnitEvent, origin: ChangeOrigin): Promise<UnitEventAnswer> {
    const rooftop = await this.requireRooftop(organizationId, event.rooftopId);
    const violations = problemsOf(event, rooftop, this.clock.now());
    if (violations.length > 0) throw new Failure('input.invalid', { violations });
    const { events, publication } = this.stores;
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      await publication.lock(tx); // also lets two deliveries of one event in one after the other
      const earlier = await events.find(tx, event.eventId);
      if (earlier !== undefined) {
        if (!isSameEvent(event, earlier.event))
          throw new Failure('idempotency.mismatch', { reason: 'idempotency_mismatch' });
        await this.record(tx, origin, event, [event.eventId], 'replayed', changeHashes(event, event));
        return { eventId: event.eventId, effect: earlier.effect };
      }
      const known = await events.findKnownUnit(tx, event.rooftopId, event.vin);
      const effect = effectOf(event, known);
      await events.insert(tx, { event, effect });
      if (effect === 'applied') {
        await events.overlay(tx, event);
        await publication.announce(tx);
      }
      const resourceIds = known === undefined ? [event.eventId] : [event.eventId, known.vehicleId];
      await this.record(tx, origin, event, resourceIds, effect, changeHashes(null, event));
      return { eventId: event.eventId, effect };
    });
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    event: UnitEvent,
    resourceIds: readonly string[],
    reason: string,
    hashes: ChangeHashes,
  ): Promise<void> {
    return this.stores.audit.record(tx, origin, {
      operation: `unit_events.${event.kind}`,
      rooftopIds: [event.rooftopId],
      resourceIds,
      reason,
      hashes,
    });
  }

  private async requireRooftop(organizationId: string, rooftopId: string): Promise<Rooftop> {
    const group = await this.directory.find(organizationId);
    const rooftop = group?.rooftops.find((r) => r.rooftopId === rooftopId);
    if (rooftop === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    return rooftop;
  }
}

function problemsOf(event: UnitEvent, rooftop: Rooftop, now: number): Violation[] {
  const problems: Violation[] = [];
  if (event.sourceTime > now + LIMITS.futureSkewSeconds.value * 1000) {
    problems.push({ pointer: '/source_time', keyword: 'maximum', explanation: 'lies in the future' });
  }
  if ((event.kind === 'price') !== (event.price !== undefined)) {
    problems.push({
      pointer: '/price',
      keyword: event.kind === 'price' ? 'required' : 'additionalProperties',
      explanation: 'belongs to events of kind price, and only to them',
    });
  }
  if (event.price !== undefined && event.price.currency !== rooftop.currency) {
    problems.push({ pointer: '/price/currency', keyword: 'const', explanation: 'is not the currency of the rooftop' });
  }
  return problems;
}
