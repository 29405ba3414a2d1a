import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { WithheldPage, WithheldUnit, WithheldUnits } from '../app/withheld-units.js';
import type { WithheldReason } from '../domain/feed/row-outcome.js';

/** Served units that were withheld at import and still are, now that single-unit events have spoken. */
const STILL_WITHHELD = Prisma.sql`
  FROM rooftop_inventory i
  JOIN units u ON u.organization_id = i.organization_id AND u.snapshot_id = i.snapshot_id AND u.withheld IS NOT NULL
  LEFT JOIN unit_overlays o ON o.organization_id = u.organization_id AND o.rooftop_id = u.rooftop_id AND o.vin = u.vin
  WHERE coalesce(o.status_time < u.observed_at, true)
    AND (u.withheld <> 'price_unknown' OR coalesce(o.price_time < u.observed_at, true))`;

export class PostgresWithheldUnits implements WithheldUnits {
  async list(tx: TenantTransaction, page: WithheldPage): Promise<readonly WithheldUnit[]> {
    const { rooftopId, reason, after = '', limit } = page;
    const rows = await prismaOf(tx).$queryRaw<(Omit<WithheldUnit, 'observedAt'> & { observedAt: Date })[]>`
      SELECT u.rooftop_id AS "rooftopId", u.vehicle_id AS "vehicleId", u.vin, u.stock_number AS "stockNumber", u.withheld AS reason,
        u.observed_at AS "observedAt"
      ${STILL_WITHHELD}
        AND u.vehicle_id > ${after}
        ${rooftopId === undefined ? Prisma.empty : Prisma.sql`AND i.rooftop_id = ${rooftopId}`}
        ${reason === undefined ? Prisma.empty : Prisma.sql`AND u.withheld = ${reason}`}
      ORDER BY u.vehicle_id LIMIT ${limit}`;
    return rows.map((row) => ({ ...row, observedAt: row.observedAt.getTime() }));
  }

  async reasonOf(tx: TenantTransaction, rooftopId: string, vehicleId: string): Promise<WithheldReason | undefined> {
    const rows = await prismaOf(tx).$queryRaw<{ reason: WithheldReason }[]>`
      SELECT u.withheld AS reason ${STILL_WITHHELD} AND i.rooftop_id = ${rooftopId} AND u.vehicle_id = ${vehicleId}`;
    return rows[0]?.reason;
  }
}
