import { createHash } from 'node:crypto';
import type pg from 'pg';
import { Failure } from '../../../kernel/failure/failure.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { DealerDirectory, DealerGroup, Rooftop } from '../../tenancy/index.js';
import { publicationPolicyOf } from '../app/publication-policy.js';
import type { ExportedInventory, PublishedExport } from '../app/published-export.js';
import type { ConditionalAdjustment, RequiredCharge } from '../domain/listed-unit.js';
import type { ExportedUnit } from '../domain/protocol-csv/exported-unit.js';
import type { RooftopSegment } from '../domain/read-model/rooftop-segment.js';
import { requiredChargesOf } from '../domain/vehicle-record/required-charges.js';
import { VEHICLE_TAILS } from '../domain/vehicle-record/serialize-vehicle.js';
import type { Vehicle } from '../domain/vehicle-schema.js';
import type { PostgresInventoryReader } from './postgres-inventory-reader.js';

const UNITS_PER_BATCH = 500;
/** Raised when the same inventory is written differently. */
const EXPORT_VERSION = 1;

interface PriceRow {
  readonly vehicleId: string;
  readonly charges: readonly RequiredCharge[] | null;
  readonly adjustments: readonly ConditionalAdjustment[] | null;
}

/** Of a record, nothing but the two members that go with its price: whatever else it holds stays where it is. */
const PRICES = `SELECT vehicle_id AS "vehicleId", record -> 'requiredCharges' AS charges, record -> 'conditionalAdjustments' AS adjustments
  FROM units WHERE snapshot_id = $1 AND vehicle_id = ANY($2)`;

/** Vehicles come from the read model, as they are served; what goes with their prices from the stored records. */
export class PostgresPublishedExport implements PublishedExport {
  constructor(
    private readonly reader: PostgresInventoryReader,
    private readonly directory: DealerDirectory,
    private readonly pool: pg.Pool,
  ) {}

  async open(organizationId: string): Promise<ExportedInventory> {
    const group = await this.directory.find(organizationId);
    if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    const { inventory, identity } = await this.reader.openIdentified(organizationId);
    const { segments } = inventory;
    return {
      identity: createHash('sha256')
        .update(JSON.stringify([EXPORT_VERSION, identity, chargePolicies(group)]))
        .digest('base64url'),
      batches: () => this.batches(organizationId, group, segments),
    };
  }

  private async *batches(
    organizationId: string,
    group: DealerGroup,
    segments: readonly RooftopSegment[],
  ): AsyncGenerator<readonly ExportedUnit[]> {
    for (const segment of segments) {
      const rooftop = group.rooftops.find((r) => r.rooftopId === segment.rooftopId);
      if (rooftop === undefined) continue;
      for (let start = 0; start < segment.size; start += UNITS_PER_BATCH)
        yield await this.batch(organizationId, rooftop, segment, start);
    }
  }

  private async batch(
    organizationId: string,
    rooftop: Rooftop,
    segment: RooftopSegment,
    start: number,
  ): Promise<readonly ExportedUnit[]> {
    const { snapshotId, vehicleIds } = segment.parts;
    const wanted = vehicleIds.slice(start, start + UNITS_PER_BATCH);
    const rows = await withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const found = await client.query<PriceRow>({ name: 'export-prices', text: PRICES, values: [snapshotId, wanted] });
      return new Map(found.rows.map((row) => [row.vehicleId, row]));
    });
    const policy = publicationPolicyOf(rooftop.settings).requiredCharges;
    return wanted.map((vehicleId, offset) => {
      const row = rows.get(vehicleId);
      if (row === undefined) throw new Failure('upstream.unavailable', { cause: new Error('a snapshot has gone') });
      return {
        vehicle: vehicleAt(segment, start + offset),
        requiredCharges: requiredChargesOf(row.charges === null ? {} : { requiredCharges: row.charges }, policy),
        conditionalAdjustments: row.adjustments ?? [],
      };
    });
  }
}

function vehicleAt(segment: RooftopSegment, index: number): Vehicle {
  const head = Buffer.alloc(segment.headLength(index));
  segment.copyHead(index, head, 0);
  return JSON.parse(head.toString('utf8') + VEHICLE_TAILS.current) as Vehicle;
}

const chargePolicies = (group: DealerGroup): unknown =>
  group.rooftops.map((r) => [r.rooftopId, r.settings.required_charges]);
