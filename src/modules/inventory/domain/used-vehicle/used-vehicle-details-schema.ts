import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import {
  closed,
  Distance,
  ExtensionBag,
  Identifier,
  stringEnum,
  Timestamp,
  TraceId,
  Uri,
  Vin,
} from '../../../../kernel/schema/dap-common.js';
import {
  certificationMembers,
  conditionReportMembers,
  HistorySummary,
  reconditioningMembers,
  titleMembers,
} from './used-vehicle-facts.js';
import { attribution, InventoryTenure } from './used-vehicle-schema.js';
import { ODOMETER_STATUSES, REPORT_ACCESS, REPORT_STATUSES } from './used-vehicle-vocabulary.js';

const Odometer = Type.Object(
  { reading: Distance, status: stringEnum(ODOMETER_STATUSES), observed_at: Timestamp, ...attribution },
  closed,
);

/** A provider's report with its own source and time. No summary without leave to share it (DAP-UV-012). */
const HistoryReport = Type.Object(
  {
    provider_id: Type.String({ maxLength: 128, pattern: '^[a-z0-9]+(?:[.-][a-z0-9]+)+$' }),
    provider_name: Type.String({ minLength: 1, maxLength: 200 }),
    report_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    status: stringEnum(REPORT_STATUSES),
    access: stringEnum(REPORT_ACCESS),
    report_url: Type.Optional(Uri),
    report_generated_at: Type.Optional(Timestamp),
    observed_at: Timestamp,
    summary_sharing_authorized: Type.Boolean(),
    summary: Type.Optional(HistorySummary),
    ...attribution,
  },
  {
    ...closed,
    if: { properties: { summary_sharing_authorized: { const: false } } },
    then: { properties: { summary: { not: {} } } }, // readers of schemas stumble over a bare `false`
  },
);
export type HistoryReport = Static<typeof HistoryReport>;

/** Sources that disagree, side by side; which of them is right is not ours to say (DAP-UV-020). */
const Discrepancy = Type.Object(
  {
    field: Type.String({ minLength: 1, maxLength: 120 }),
    source_names: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 2,
      maxItems: 21,
      uniqueItems: true,
    }),
    description: Type.String({ minLength: 1, maxLength: 1000 }),
    status: stringEnum(['unresolved', 'dealer_reviewed', 'provider_corrected'] as const),
  },
  closed,
);
export type Discrepancy = Static<typeof Discrepancy>;

/** A manufacturer's program is named (DAP-UV-024). */
const Certification = Type.Object(
  { ...certificationMembers, ...attribution },
  { ...closed, if: { properties: { type: { const: 'manufacturer_cpo' } } }, then: { required: ['program_name'] } },
);

/** Everything this gateway can say of a used unit (used-vehicle.schema.json). */
export const UsedVehicleDetails = Type.Object(
  {
    vehicle_id: Identifier,
    organization_id: Identifier,
    rooftop_id: Identifier,
    vin: Vin,
    condition: stringEnum(['used', 'certified', 'demo'] as const),
    odometer: Odometer,
    inventory_tenure: InventoryTenure,
    history_reports: Type.Array(HistoryReport, { maxItems: 20 }),
    title: Type.Object({ ...titleMembers, ...attribution }, closed),
    condition_report: Type.Object({ ...conditionReportMembers, ...attribution }, closed),
    certification: Certification,
    reconditioning: Type.Object({ ...reconditioningMembers, ...attribution }, closed),
    discrepancies: Type.Array(Discrepancy, { maxItems: 100 }),
    ...attribution,
    trace_id: TraceId,
    extensions: Type.Optional(ExtensionBag),
  },
  closed,
);
export type UsedVehicleDetails = Static<typeof UsedVehicleDetails>;
