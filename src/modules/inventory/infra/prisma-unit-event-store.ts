import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { KnownUnit, UnitEvent, UnitEventEffect, UnitEventKind } from '../app/unit-event.js';
import type { RecordedUnitEvent, UnitEventStore } from '../app/unit-event-store.js';

interface KnownRow {
  readonly vehicleId: string;
  readonly observedAt: Date;
  readonly statusTime: Date | null;
  readonly priceTime: Date | null;
}

export class PrismaUnitEventStore implements UnitEventStore {
  async find(tx: TenantTransaction, eventId: string): Promise<RecordedUnitEvent | undefined> {
    const row = await prismaOf(tx).unitEvent.findUnique({
      where: { organizationId_eventId: { organizationId: tx.organizationId, eventId } },
    });
    if (row === null) return undefined;
    const { rooftopId, vin } = row;
    const payload = row.payload as Pick<UnitEvent, 'price'>;
    return {
      event: {
        eventId,
        rooftopId,
        vin,
        kind: row.kind as UnitEventKind,
        sourceTime: row.sourceTime.getTime(),
        ...payload,
      },
      effect: row.effect as UnitEventEffect,
    };
  }

  async findKnownUnit(tx: TenantTransaction, rooftopId: string, vin: string): Promise<KnownUnit | undefined> {
    const rows = await prismaOf(tx).$queryRaw<KnownRow[]>`
      SELECT u.vehicle_id AS "vehicleId", u.observed_at AS "observedAt", o.status_time AS "statusTime", o.price_time AS "priceTime"
      FROM rooftop_inventory i
      JOIN units u ON u.organization_id = i.organization_id AND u.snapshot_id = i.snapshot_id AND u.vin = ${vin}
      LEFT JOIN unit_overlays o ON o.organization_id = i.organization_id AND o.rooftop_id = i.rooftop_id AND o.vin = u.vin
      WHERE i.rooftop_id = ${rooftopId}`;
    const row = rows[0];
    if (row === undefined) return undefined;
    const { vehicleId, observedAt, statusTime, priceTime } = row;
    return {
      vehicleId,
      observedAt: observedAt.getTime(),
      statusTime: statusTime?.getTime() ?? null,
      priceTime: priceTime?.getTime() ?? null,
    };
  }

  async insert(tx: TenantTransaction, { event, effect }: RecordedUnitEvent): Promise<void> {
    const { eventId, rooftopId, vin, kind, price } = event;
    await prismaOf(tx).unitEvent.create({
      data: {
        organizationId: tx.organizationId,
        eventId,
        rooftopId,
        vin,
        kind,
        sourceTime: new Date(event.sourceTime),
        payload: price === undefined ? {} : { price: { ...price } },
        effect,
      },
    });
  }

  async overlay(tx: TenantTransaction, event: UnitEvent): Promise<void> {
    const { organizationId } = tx;
    const { rooftopId, vin, price } = event;
    const time = new Date(event.sourceTime);
    const said =
      event.kind === 'price' && price !== undefined
        ? { priceMinor: BigInt(price.amount_minor), currency: price.currency, priceTime: time }
        : { status: event.kind, statusTime: time };
    await prismaOf(tx).unitOverlay.upsert({
      where: { organizationId_rooftopId_vin: { organizationId, rooftopId, vin } },
      create: { organizationId, rooftopId, vin, ...said },
      update: said,
    });
  }
}
