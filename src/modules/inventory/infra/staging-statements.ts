import type pg from 'pg';
import type { StagedBatch, StagedUnit } from '../app/import-staging.js';
import type { RunLease } from '../app/run-lease.js';

/**
 * One statement a batch. PostgreSQL takes the members out of the record itself, so that nothing is sent twice and the
 * columns cannot disagree with the record. The serialised vehicles come as lines of one text, zipped with the records:
 * JSON holds no raw line break, and JSON inside JSON would have to be escaped and unescaped again.
 */
const INSERT_UNITS = `INSERT INTO units (organization_id, snapshot_id, vehicle_id, rooftop_id, vin, stock_number, year, make, model, trim, condition,
    vehicle_type, body_style, price_minor, currency, odometer_value, odometer_unit, availability, observed_at, withheld, dap_head, record,
    source_line, source_record, column_map, sha256, run_id)
  SELECT $3, b.s, b.v, u ->> 'rooftopId', u ->> 'vin', u ->> 'stockNumber', (u ->> 'year')::integer, u ->> 'make', u ->> 'model', u ->> 'trim',
    u ->> 'condition', u ->> 'vehicleType', u ->> 'bodyStyle', (u #>> '{advertisedPrice,amount_minor}')::bigint, u #>> '{advertisedPrice,currency}',
    (u #>> '{odometer,value}')::integer, u #>> '{odometer,unit}', u ->> 'availability',
    to_timestamp((u ->> 'observedAt')::double precision / 1000), b.w, nullif(b.h, ''), u, b.l, b.r, b.c, $4, $5
  FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (s text, v text, w text, u jsonb, l integer, r integer, c integer), string_to_table($2, E'\\n')) AS b(s, v, w, u, l, r, c, h)`;

export async function insertUnits(client: pg.PoolClient, lease: RunLease, batch: StagedBatch): Promise<void> {
  const records = `[${batch.units.map(stagedJson).join(',')}]`;
  const heads = batch.units.map((unit) => unit.head ?? '').join('\n');
  const values = [records, heads, lease.organizationId, batch.sha256, lease.runId];
  await client.query({ name: 'stage-units', text: INSERT_UNITS, values });
}

function stagedJson(staged: StagedUnit): string {
  const { snapshotId, vehicleId, unitJson, line, record, columnMap } = staged;
  const withheld = staged.withheld === null ? '' : `,"w":"${staged.withheld}"`;
  return `{"s":"${snapshotId}","v":"${vehicleId}","u":${unitJson},"l":${line},"r":${record},"c":${columnMap}${withheld}}`;
}

const INSERT_ROWS = `INSERT INTO feed_run_rows (organization_id, run_id, attempt, ordinal, line, record, column_name, disposition, reason, rooftop_id, vin, detail)
  SELECT $2, $3, $4, $5 + b.o, b.line, b.record, b."columnName", b.disposition, b.reason, b."rooftopId", b.vin, left(b.detail, 500)
  FROM jsonb_to_recordset($1::jsonb) AS b(o integer, line integer, record integer, "columnName" text, disposition text, reason text, "rooftopId" text, vin text, detail text)`;

export async function insertRunRows(client: pg.PoolClient, lease: RunLease, batch: StagedBatch): Promise<void> {
  const payload = JSON.stringify(batch.rows.map((row, o) => ({ o, ...row })));
  await client.query({
    name: 'stage-run-rows',
    text: INSERT_ROWS,
    values: [payload, lease.organizationId, lease.runId, lease.attempt, batch.firstOrdinal],
  });
}
