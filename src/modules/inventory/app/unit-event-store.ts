import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { KnownUnit, UnitEvent, UnitEventEffect } from './unit-event.js';

export interface RecordedUnitEvent {
  readonly event: UnitEvent;
  readonly effect: UnitEventEffect;
}

/** Port: single-unit events and what they say over the served snapshots. */
export interface UnitEventStore {
  find(tx: TenantTransaction, eventId: string): Promise<RecordedUnitEvent | undefined>;
  /** The unit that the rooftop serves, offered or withheld, with the times of earlier events. */
  findKnownUnit(tx: TenantTransaction, rooftopId: string, vin: string): Promise<KnownUnit | undefined>;
  insert(tx: TenantTransaction, recorded: RecordedUnitEvent): Promise<void>;
  /** Lays the event over the unit, whatever the unit's snapshot says. */
  overlay(tx: TenantTransaction, event: UnitEvent): Promise<void>;
}
