import { vehicleIdOf } from '../../../kernel/ids.js';
import type { Rooftop } from '../../tenancy/index.js';
import type { QuarantinedRow, UnitRow } from '../domain/feed/row-outcome.js';
import type { RowSource } from '../domain/vehicle-record/vehicle-context.js';
import { checkedVehicleHead } from '../domain/vehicle-record/checked-vehicle-head.js';
import { publicationPolicyOf } from './publication-policy.js';

/** What all rows of one file have in common when they become published records. */
export interface RecordContext {
  readonly organizationId: string;
  readonly rooftops: ReadonlyMap<string, Rooftop>;
  readonly feedName: string;
  readonly sha256: string;
}

/** A sound row with its identity and, where it is offered, its serialised vehicle. */
export interface PreparedRow {
  readonly row: UnitRow;
  readonly vehicleId: string;
  /** The unit as JSON text. */
  readonly unitJson: string;
  readonly head: string | null;
}

const MAX_INTEGER = 2_147_483_647;
/** What JSON text of PostgreSQL cannot hold: U+0000 and halves of a character. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * Turns a row into the record that will be published, and checks that record once and for all (decision record 0006).
 * A row that cannot become a valid record is quarantined: one bad row never stops the others (field failure 2).
 */
export function prepareRow(row: UnitRow, context: RecordContext): PreparedRow | QuarantinedRow {
  const { unit } = row;
  const rooftop = context.rooftops.get(unit.rooftopId);
  if (rooftop === undefined) return quarantined(row, 'rooftop_unknown');
  const vehicleId = vehicleIdOf(rooftop.idSeed, unit.vin);
  const unitJson = JSON.stringify(unit);
  if (!isStorable(row, unitJson)) return quarantined(row, 'record_malformed');
  if (row.withheld !== undefined) return { row, vehicleId, unitJson, head: null };
  const source: RowSource = { feedName: context.feedName, sha256: context.sha256, line: row.at.line };
  const checked = checkedVehicleHead(unit, {
    organizationId: context.organizationId,
    vehicleId,
    rooftop: publicationPolicyOf(rooftop.settings),
    source,
  });
  if ('problems' in checked) return quarantined(row, 'record_malformed');
  return { row, vehicleId, unitJson, head: checked.head };
}

/** Numbers fit their columns, and no text holds what cannot be stored. */
function isStorable({ unit }: UnitRow, json: string): boolean {
  if (unit.year > MAX_INTEGER || (unit.odometer?.value ?? 0) > MAX_INTEGER) return false;
  return !json.includes('\\u') || !UNSTORABLE.test(json);
}

function quarantined(row: UnitRow, reason: 'rooftop_unknown' | 'record_malformed'): QuarantinedRow {
  const { rooftopId, vin } = row.unit;
  return { kind: 'quarantined', at: row.at, reason, problems: [{ reason }], rooftopId, vin };
}
