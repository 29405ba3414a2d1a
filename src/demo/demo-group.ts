import type { AdjustmentRule } from '../kernel/schema/dap-pricing.js';
import type { NewDealerGroup, NewRooftop, RooftopSettings } from '../modules/tenancy/index.js';

export const DEMO_ORGANIZATION = 'org.harbor-auto-group';

const SLA = { inventory: 86_400, availability: 86_400, pricing: 86_400 };
const HOURS = (['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const).map((day) => ({
  day,
  opens: '09:00',
  closes: day === 'saturday' ? '18:00' : '20:00',
}));

function rooftop(
  id: string,
  name: string,
  line: string,
  locality: string,
  region: string,
  postal: string,
  timezone: string,
  phone: string,
  charges: RooftopSettings['required_charges'],
  adjustments: RooftopSettings['conditional_adjustments'],
  publishInventoryAge: boolean,
): NewRooftop {
  return {
    rooftopId: `roof.${id}`,
    name,
    legalName: null,
    website: `https://${id}.harbor.example`,
    address: { lines: [line], locality, region, postal_code: postal, country: 'US' },
    timezone,
    currency: 'USD',
    departments: ['sales', 'internet_sales', 'service'],
    contacts: [{ department: 'internet_sales', channel: 'phone', value: phone, public: true }],
    hours: HOURS,
    languages: ['en-US', 'es-US'],
    settings: {
      freshness_sla_seconds: SLA,
      required_charges: charges,
      conditional_adjustments: adjustments,
      publish_inventory_age: publishInventoryAge,
    },
  };
}

const usd = (amount_minor: number): { amount_minor: number; currency: string } => ({ amount_minor, currency: 'USD' });

const MILITARY: AdjustmentRule = {
  adjustment_id: 'adjustment.military',
  name: 'Military appreciation',
  direction: 'discount',
  amount_status: 'known',
  amount: usd(50_000),
  criteria: [
    {
      criterion: 'military',
      operator: 'verified',
      value: true,
      evidence_status: 'required',
      description: 'Active, reserve or retired service, shown by a valid identity card.',
    },
  ],
  stacking: { group: 'affinity', combinability: 'exclusive' },
};

const FINANCED: AdjustmentRule = {
  adjustment_id: 'adjustment.financed',
  name: 'Finance rebate',
  direction: 'discount',
  amount_status: 'known',
  amount: usd(75_000),
  criteria: [
    { criterion: 'payment_mode', operator: 'equals', value: 'finance', evidence_status: 'required' },
    {
      criterion: 'finance_provider',
      operator: 'equals',
      value: 'Harbor Acceptance',
      evidence_status: 'required',
      description: 'Financed through Harbor Acceptance on approved credit.',
    },
  ],
  criteria_mode: 'all',
  stacking: { group: 'finance', combinability: 'stackable' },
};

const OREGON_DELIVERY: AdjustmentRule = {
  adjustment_id: 'adjustment.oregon-delivery',
  name: 'Home delivery in Oregon',
  direction: 'surcharge',
  amount_status: 'unknown',
  criteria: [
    {
      criterion: 'other',
      operator: 'present',
      value: true,
      evidence_status: 'not_required',
      description: 'Only when the buyer asks for delivery; the amount depends on the distance.',
    },
  ],
  jurisdictions: [{ country: 'US', subdivision: 'US-OR' }],
  stacking: { group: 'delivery', combinability: 'stackable' },
};

/** The group that a first start shows: invented names, reserved phone numbers, example hosts. */
export const DEMO_GROUP: NewDealerGroup = {
  organizationId: DEMO_ORGANIZATION,
  name: 'Harbor Auto Group',
  legalName: 'Harbor Auto Group LLC',
  website: 'https://harbor.example',
  rooftops: [
    rooftop(
      'downtown',
      'Harbor Downtown',
      '100 Example Avenue',
      'Miami',
      'FL',
      '33101',
      'America/New_York',
      '+13055550100',
      { status: 'unknown' },
      [MILITARY, FINANCED],
      true,
    ),
    rooftop(
      'lakeside',
      'Harbor Lakeside',
      '200 Example Street',
      'Chicago',
      'IL',
      '60601',
      'America/Chicago',
      '+13125550101',
      {
        status: 'listed',
        charges: [
          {
            name: 'Documentation fee',
            amount: { amount_minor: 36_700, currency: 'USD' },
            payee: 'dealer',
            included_in_advertised_price: false,
          },
        ],
      },
      [MILITARY],
      true,
    ),
    rooftop(
      'westside',
      'Harbor Westside',
      '300 Example Boulevard',
      'Portland',
      'OR',
      '97201',
      'America/Los_Angeles',
      '+15035550102',
      { status: 'none' },
      [FINANCED, OREGON_DELIVERY],
      false,
    ),
  ],
};

/** Units of each rooftop's first feed file. */
export const DEMO_UNITS: Readonly<Record<string, number>> = {
  'roof.downtown': 180,
  'roof.lakeside': 130,
  'roof.westside': 95,
};

/** Units of those that the dealer has not looked at for days: a first start shows what stale is called. */
export const DEMO_LONG_UNSEEN: Readonly<Record<string, number>> = { 'roof.lakeside': 6 };
