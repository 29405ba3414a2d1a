import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { PublicationOverview, PublishedUnits, RooftopOverview, UnitOrigin } from '../app/published-units.js';
import type { ColumnMap } from '../domain/feed/row-outcome.js';

interface OriginRow {
  readonly vehicle_id: string;
  readonly rooftop_id: string;
  readonly vin: string;
  readonly withheld: string | null;
  readonly observed_at: Date;
  readonly feed_id: string;
  readonly run_id: string;
  readonly sha256: string;
  readonly original_name: string;
  readonly received_at: Date;
  readonly source_line: number;
  readonly source_record: number;
  readonly columns: ColumnMap | null;
  readonly status: string | null;
  readonly status_time: Date | null;
  readonly price_minor: bigint | null;
  readonly price_time: Date | null;
}

export class PostgresPublishedUnits implements PublishedUnits {
  async findOrigin(tx: TenantTransaction, vehicleId: string): Promise<UnitOrigin | undefined> {
    const rows = await prismaOf(tx).$queryRaw<OriginRow[]>`
      SELECT u.vehicle_id, u.rooftop_id, u.vin, u.withheld, u.observed_at, r.feed_id, u.run_id, u.sha256, f.original_name, r.received_at,
        u.source_line, u.source_record, r.column_maps -> u.column_map AS columns, o.status, o.status_time, o.price_minor, o.price_time
      FROM rooftop_inventory i
      JOIN units u ON u.organization_id = i.organization_id AND u.snapshot_id = i.snapshot_id AND u.vehicle_id = ${vehicleId}
      JOIN feed_runs r ON r.organization_id = u.organization_id AND r.run_id = u.run_id
      JOIN feed_files f ON f.organization_id = u.organization_id AND f.sha256 = u.sha256
      LEFT JOIN unit_overlays o ON o.organization_id = u.organization_id AND o.rooftop_id = u.rooftop_id AND o.vin = u.vin`;
    return rows[0] && toOrigin(rows[0]);
  }

  async overview(tx: TenantTransaction): Promise<PublicationOverview> {
    const [version] = await prismaOf(tx).$queryRaw<{ version: bigint }[]>`SELECT version FROM inventory_versions`;
    const rows = await prismaOf(tx).$queryRaw<
      (Omit<RooftopOverview, 'receivedAt' | 'switchedAt'> & { receivedAt: Date; switchedAt: Date })[]
    >`
      SELECT i.rooftop_id AS "rooftopId", i.feed_id AS "feedId", s.run_id AS "runId", s.unit_count AS offered,
        (SELECT count(*)::integer FROM units u WHERE u.organization_id = i.organization_id AND u.snapshot_id = i.snapshot_id AND u.withheld IS NOT NULL) AS withheld,
        i.received_at AS "receivedAt", i.switched_at AS "switchedAt"
      FROM rooftop_inventory i JOIN snapshots s ON s.organization_id = i.organization_id AND s.snapshot_id = i.snapshot_id ORDER BY i.rooftop_id`;
    const rooftops = rows.map((row) => ({
      ...row,
      receivedAt: row.receivedAt.getTime(),
      switchedAt: row.switchedAt.getTime(),
    }));
    return { version: Number(version?.version ?? 0), rooftops };
  }
}

function toOrigin(row: OriginRow): UnitOrigin {
  const { status, status_time: statusTime, price_minor: priceMinor, price_time: priceTime } = row;
  const overlay = {
    status,
    statusTime: statusTime?.getTime() ?? null,
    priceMinor: priceMinor === null ? null : Number(priceMinor),
    priceTime: priceTime?.getTime() ?? null,
  };
  return {
    vehicleId: row.vehicle_id,
    rooftopId: row.rooftop_id,
    vin: row.vin,
    withheld: row.withheld,
    observedAt: row.observed_at.getTime(),
    feedId: row.feed_id,
    runId: row.run_id,
    sha256: row.sha256,
    fileName: row.original_name,
    receivedAt: row.received_at.getTime(),
    line: row.source_line,
    record: row.source_record,
    columns: row.columns ?? {},
    overlay: statusTime === null && priceTime === null ? null : overlay,
  };
}
