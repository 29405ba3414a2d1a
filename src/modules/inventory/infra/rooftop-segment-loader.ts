import type pg from 'pg';
import { Pacer } from '../domain/read-model/pacer.js';
import type { RooftopSegment } from '../domain/read-model/rooftop-segment.js';
import { SegmentBuilder } from '../domain/read-model/segment-builder.js';
import type { UnitNotes } from '../domain/read-model/unit-notes.js';
import type { SegmentRow } from '../domain/read-model/segment-row.js';
import { shownRow } from '../domain/vehicle-record/withhold-fields.js';
import { currentHead, headsAreCurrent, type StoredUnit } from './current-head.js';
import type { RooftopSource } from './rooftop-source.js';
import { hides, newerPrice } from './unit-overlay.js';

/** Rows a query: small enough that neither memory nor the event loop notices one. */
const ROWS_PER_QUERY = 1000;

const COLUMNS = `vehicle_id AS "vehicleId", vin, stock_number AS "stockNumber", year, make, model, trim, condition, vehicle_type AS "vehicleType",
  body_style AS "bodyStyle", price_minor::float8 AS "priceMinor", currency, odometer_value AS "odometerValue", odometer_unit AS "odometerUnit",
  availability, (extract(epoch FROM observed_at) * 1000)::float8 AS "observedAt", dap_head AS head`;
const RECORD = 'record, sha256, source_line AS line';
const OFFERED_ROWS = `FROM units WHERE snapshot_id = $1 AND vehicle_id > $2 AND dap_head IS NOT NULL ORDER BY vehicle_id LIMIT ${ROWS_PER_QUERY}`;
const OFFERED = `SELECT ${COLUMNS} ${OFFERED_ROWS}`;
const OFFERED_RECORDS = `SELECT ${COLUMNS}, ${RECORD} ${OFFERED_ROWS}`;
const OVERLAID = `SELECT ${COLUMNS}, withheld, ${RECORD} FROM units WHERE snapshot_id = $1 AND vin = ANY($2)`;

interface OverlaidRow extends Omit<SegmentRow, 'head'>, StoredUnit {
  readonly head: string | null;
  readonly withheld: string | null;
}

/** Reads what a rooftop offers, with single-unit events applied, into a segment. */
export async function loadSegment(
  client: pg.PoolClient,
  organizationId: string,
  source: RooftopSource,
): Promise<RooftopSegment> {
  const { rooftop, overlays } = source;
  const builder = new SegmentBuilder(rooftop.rooftopId, {
    inventorySlaSeconds: rooftop.settings.freshness_sla_seconds.inventory,
    snapshotId: source.snapshotId,
    feedName: source.feedName,
  });
  const [current, pacer] = [headsAreCurrent(source), new Pacer()];
  for (let after = ''; ;) {
    const { rows } = await client.query<SegmentRow & StoredUnit>({
      name: current ? 'offered-units' : 'offered-records',
      text: current ? OFFERED : OFFERED_RECORDS,
      values: [source.snapshotId, after],
    });
    for (const row of rows) {
      if (overlays.has(row.vin)) continue;
      if (!current) await pacer.pause();
      addOffered(builder, organizationId, source, row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_QUERY) break;
    after = last.vehicleId;
  }
  if (overlays.size > 0) {
    const { rows } = await client.query<OverlaidRow>(OVERLAID, [source.snapshotId, [...overlays.keys()]]);
    for (const row of rows) addOverlaid(builder, organizationId, source, row);
  }
  return builder.build();
}

/** Takes an offered unit in as it is stored, or as the policy of today would have it (decision record 0025). */
function addOffered(
  builder: SegmentBuilder,
  organizationId: string,
  source: RooftopSource,
  row: SegmentRow & StoredUnit,
): void {
  const { withheld_fields: withheld } = source.rooftop.settings;
  if (headsAreCurrent(source)) {
    builder.add(shownRow(withNotes(row, source), withheld));
    return;
  }
  const head = currentHead(row, row.record.advertisedPrice, organizationId, source);
  if (head !== undefined) builder.add(shownRow(withNotes({ ...row, head }, source), withheld));
}

/** With what is known beside the row, where anything is. */
function withNotes<T extends SegmentRow>(row: T, { reviews }: RooftopSource, notes?: UnitNotes): T {
  const reviewed = reviews.get(row.vin);
  if (reviewed === undefined && notes === undefined) return row;
  return { ...row, notes: { ...notes, ...(reviewed === undefined ? {} : { reviewed }) } };
}

function addOverlaid(builder: SegmentBuilder, organizationId: string, source: RooftopSource, row: OverlaidRow): void {
  const overlay = source.overlays.get(row.vin);
  if (overlay === undefined || hides(overlay, row.observedAt)) return;
  const price = newerPrice(overlay, row.observedAt);
  if (price === undefined) {
    if (row.head !== null) addOffered(builder, organizationId, source, { ...row, head: row.head });
    return;
  }
  if (row.withheld !== null && row.withheld !== 'price_unknown') return;
  const { amount, at: pricedAt } = price;
  const head = currentHead(row, amount, organizationId, source, pricedAt);
  if (head === undefined) return;
  const priced = { ...row, priceMinor: amount.amount_minor, currency: amount.currency, head };
  builder.add(shownRow(withNotes(priced, source, { pricedAt }), source.rooftop.settings.withheld_fields));
}
