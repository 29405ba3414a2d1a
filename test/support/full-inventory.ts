import type { RooftopSettings } from '../../src/modules/tenancy/index.js';
import { dapRow } from './dap-world.js';
import { vinOf } from './feed-csv.js';

/** Rooftops whose units fill every field that an answer can have. */
export const RICH = 'roof.rich';
/** Publishes one of the same cars. */
export const TWIN = 'roof.twin';

const DAY_MS = 86_400_000;
const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** Cells that are JSON. */
export const JSON_CELLS = [
  'history_reports_json',
  'title_json',
  'condition_report_json',
  'certification_json',
  'reconditioning_json',
  'required_dealer_charges_json',
  'conditional_adjustments_json',
] as const;

/** An adjustment with every member that one can have, and one of which the amount is not known. */
export const FULL_ADJUSTMENTS: RooftopSettings['conditional_adjustments'] = [
  {
    adjustment_id: 'adjustment.full',
    name: 'Loyalty bonus',
    direction: 'discount',
    amount_status: 'known',
    amount: { amount_minor: 25_000, currency: 'USD' },
    criteria: [
      { criterion: 'loyalty', operator: 'in', value: ['a', 'b'], evidence_status: 'required', description: 'Owners.' },
    ],
    criteria_mode: 'any',
    jurisdictions: [{ country: 'US', subdivision: 'US-FL', locality: 'Miami', postal_code: '33101' }],
    valid_from: ago(10),
    valid_until: ago(-10),
    stacking: { group: 'loyalty', combinability: 'stackable', combinable_with: ['incentive.military'] },
  },
];

const SUMMARY = {
  accident_status: 'no_events_reported',
  accident_event_count: 0,
  damage_status: 'no_damage_reported',
  structural_damage_status: 'not_reported',
  airbag_deployment_status: 'not_reported',
  title_brand_status: 'no_brands_reported',
  odometer_consistency: 'consistent',
  owner_count_status: 'known',
  owner_count: 2,
  prior_use: ['personal'],
  service_record_count: 5,
  last_reported_odometer: { value: 18_000, unit: 'mi' },
};

const report = (id: string, name: string, accidents: boolean, more: object = {}): object => ({
  provider_id: id,
  provider_name: name,
  report_id: `r-${name}`,
  status: 'available',
  access: 'public_link',
  report_url: `https://history.example/${name}`,
  report_generated_at: ago(4),
  observed_at: ago(3),
  summary_sharing_authorized: true,
  summary: {
    ...SUMMARY,
    ...(accidents ? { accident_status: 'events_reported', accident_event_count: 1 } : {}),
  },
  ...more,
});

/** What must not be shown although its report is: a link with a credential, and a summary that is nobody's to share. */
export interface Unshown {
  readonly credential: string;
  readonly unshared: number;
}

function reports({ credential, unshared }: Unshown): object[] {
  return [
    report('com.carfax', 'CARFAX', false),
    report('com.experian.autocheck', 'AutoCheck', true, {
      report_url: `https://history.example/a?token=${credential}`,
    }),
    report('com.example.third', 'Third', true, {
      summary_sharing_authorized: false,
      summary: { ...SUMMARY, owner_count: unshared },
    }),
  ];
}

/** A certified car in the protocol's own CSV, with our columns beside it, of which a shopper can learn everything. */
export function fullRow(number: number, unshown: Unshown): Record<string, string> {
  const json = (facts: unknown): string => JSON.stringify(facts);
  return {
    ...dapRow({
      rooftop_id: RICH,
      vin: vinOf(number),
      stock_number: `RICH${number}`,
      year: '2023',
      condition: 'certified',
    }),
    trim: 'Touring',
    vehicle_type: 'suv',
    body_style: 'Wagon',
    exterior_color: 'Blue',
    interior_color: 'Black',
    odometer_value: '18420',
    odometer_unit: 'mi',
    odometer_status: 'actual',
    stocked_at: ago(40),
    first_public_listing_at: ago(38),
    image_urls_json: json(['https://photos.example/1.jpg']),
    features_json: json(['Heated seats']),
    certification_type: 'manufacturer_cpo',
    history_reports_json: json(reports(unshown)),
    title_json: json({ status: 'branded', brands: ['hail'], jurisdiction: 'US-FL' }),
    condition_report_json: json({
      status: 'completed',
      inspection_authority: 'dealer',
      inspector_name: 'House inspector',
      inspected_at: ago(20),
      report_url: 'https://inspections.example/1',
      inspection_point_count: 150,
      grade: { system: 'Example v1', value: 'A' },
      components: [{ component: 'tires', status: 'pass', note: 'As new' }],
      disclosed_damage: ['Scratch on the left door'],
    }),
    certification_json: json({
      type: 'manufacturer_cpo',
      program_name: 'Example Certified',
      certified_at: ago(15),
      inspection_point_count: 150,
      warranty: [
        {
          coverage_type: 'powertrain',
          status: 'included',
          term_months: 24,
          distance_limit: { value: 100_000, unit: 'mi' },
          expires_at: ago(-700),
          transferable: true,
          description: 'Engine and gears',
        },
      ],
    }),
    reconditioning_json: json({
      status: 'completed',
      completed_at: ago(18),
      items: [{ category: 'brakes', description: 'Front pads replaced', status: 'completed' }],
    }),
    required_dealer_charges_json: json([
      { label: 'Fee', amount_minor: 49_900, payee: 'dealer', included_in_advertised_price: false },
    ]),
    conditional_adjustments_json: json([
      { name: 'Graduate', direction: 'discount', amount_minor: 40_000, eligibility: 'degree', stacking: 'alone' },
    ]),
  };
}
