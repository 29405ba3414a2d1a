import type { Money } from '../../../kernel/money.js';

export const UNIT_EVENT_KINDS = ['sold', 'price', 'removed'] as const;
export type UnitEventKind = (typeof UNIT_EVENT_KINDS)[number];

/** What a source says happened to one unit. */
export interface UnitEvent {
  /** Chosen by the source; the same event sent twice has the same id. */
  readonly eventId: string;
  readonly rooftopId: string;
  readonly vin: string;
  readonly kind: UnitEventKind;
  /** Milliseconds: when it happened at the source. */
  readonly sourceTime: number;
  /** Present exactly for `price`. */
  readonly price?: Money;
}

/** `superseded`: something newer is known already. `unknown_unit`: the rooftop publishes no such unit. */
export type UnitEventEffect = 'applied' | 'superseded' | 'unknown_unit';

/** What is known about the unit when an event arrives. Milliseconds. */
export interface KnownUnit {
  readonly vehicleId: string;
  readonly observedAt: number;
  readonly statusTime: number | null;
  readonly priceTime: number | null;
}

/**
 * What an event does: events count by when they happened, not by when they arrive. One as old as what is known applies,
 * an older one does not; a sale and a price do not compete with each other.
 */
export function effectOf(event: UnitEvent, known: KnownUnit | undefined): UnitEventEffect {
  if (known === undefined) return 'unknown_unit';
  const lastTime = event.kind === 'price' ? known.priceTime : known.statusTime;
  const newest = Math.max(known.observedAt, lastTime ?? known.observedAt);
  return event.sourceTime < newest ? 'superseded' : 'applied';
}

/** Whether two events with one id say the same. */
export function isSameEvent(a: UnitEvent, b: UnitEvent): boolean {
  const samePrice = a.price?.amount_minor === b.price?.amount_minor && a.price?.currency === b.price?.currency;
  return (
    samePrice && a.rooftopId === b.rooftopId && a.vin === b.vin && a.kind === b.kind && a.sourceTime === b.sourceTime
  );
}
