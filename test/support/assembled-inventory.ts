import { OrganizationInventory } from '../../src/modules/inventory/domain/read-model/organization-inventory.js';
import type { RooftopSegment } from '../../src/modules/inventory/domain/read-model/rooftop-segment.js';
import { SegmentBuilder } from '../../src/modules/inventory/domain/read-model/segment-builder.js';
import type { Row } from './arbitrary-search.js';
import { ROOFTOPS, SLA_SECONDS } from './arbitrary-search.js';

/** A segment for each rooftop of the rows, in order of rooftop id. */
export function segmentsOf(rows: readonly Row[]): Promise<RooftopSegment[]> {
  const segments = ROOFTOPS.map((rooftopId) => {
    const builder = new SegmentBuilder(rooftopId, {
      inventorySlaSeconds: SLA_SECONDS[rooftopId],
      snapshotId: 'snap.1',
      feedName: 'nightly',
    });
    for (const row of rows) if (row.rooftopId === rooftopId) builder.add(row);
    return builder.build();
  });
  return Promise.all(segments);
}

export async function assembled(rows: readonly Row[], version = 1): Promise<OrganizationInventory> {
  return OrganizationInventory.assemble('org.example', version, (await segmentsOf(rows)).reverse());
}
