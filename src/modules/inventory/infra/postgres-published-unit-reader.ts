import type pg from 'pg';
import { Failure } from '../../../kernel/failure/failure.js';
import type { DealerDirectory } from '../../tenancy/index.js';
import { findPublishedUnit } from '../app/find-published-unit.js';
import type { InventoryReader } from '../app/inventory-reader.js';
import type { PublishedUnit, PublishedUnitReader } from '../app/published-unit-reader.js';
import type { ListedUnit } from '../domain/listed-unit.js';
import { ByteLru } from '../domain/read-model/byte-lru.js';
import type { UnitFacts, VehicleSelector } from '../domain/read-model/organization-inventory.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';

interface StoredRecord {
  readonly record: ListedUnit;
  readonly sha256: string;
  readonly line: number;
}

const RECORD = `SELECT record, sha256, source_line AS line, pg_column_size(record) AS bytes FROM units WHERE snapshot_id = $1 AND vehicle_id = $2`;
const CACHE_BYTES = 33_554_432;

/**
 * Finds units in the read model and takes the rest of their record from the database. Records of a snapshot never change,
 * so the ones asked for most recently are kept.
 */
export class PostgresPublishedUnitReader implements PublishedUnitReader {
  private readonly records = new ByteLru<StoredRecord>(CACHE_BYTES);

  constructor(
    private readonly reader: InventoryReader,
    private readonly directory: DealerDirectory,
    private readonly pool: pg.Pool,
  ) {}

  async read(organizationId: string, rooftopId: string, selector: VehicleSelector): Promise<PublishedUnit> {
    const inventory = await this.reader.open(organizationId);
    const facts = inventory.unitAt(findPublishedUnit(inventory, rooftopId, selector));
    const group = await this.directory.find(organizationId);
    const rooftop = group?.rooftops.find((r) => r.rooftopId === rooftopId);
    const stored = await this.recordOf(organizationId, facts);
    if (rooftop === undefined || stored === undefined) throw new Failure('vehicle.not_found', { reason: 'not_found' });
    return {
      facts,
      unit: { ...stored.record, advertisedPrice: facts.price },
      rooftop,
      source: { feedName: facts.feedName, sha256: stored.sha256, line: stored.line },
    };
  }

  private async recordOf(organizationId: string, facts: UnitFacts): Promise<StoredRecord | undefined> {
    const key = `${organizationId}/${facts.snapshotId}/${facts.vehicleId}`;
    const known = this.records.get(key);
    if (known !== undefined) return known;
    const row = await withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const { rows } = await client.query<StoredRecord & { bytes: number }>({
        name: 'published-record',
        text: RECORD,
        values: [facts.snapshotId, facts.vehicleId],
      });
      return rows[0];
    });
    if (row !== undefined) this.records.set(key, row, row.bytes * 2);
    return row;
  }
}
