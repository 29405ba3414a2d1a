import { rfc3339 } from '../kernel/time.js';
import { SeededRandom } from './random.js';

export const USED_FACT_COLUMNS = [
  'odometer_status',
  'history_reports_json',
  'title_json',
  'condition_report_json',
  'certification_json',
  'reconditioning_json',
] as const;
export type UsedFactCells = Record<(typeof USED_FACT_COLUMNS)[number], string>;

const NOTHING: UsedFactCells = {
  odometer_status: '',
  history_reports_json: '[]',
  title_json: '',
  condition_report_json: '',
  certification_json: '',
  reconditioning_json: '',
};
const DAY_MS = 86_400_000;

/** What a unit's facts depend on. `observedAt` in milliseconds, `odometer` in miles. */
export interface UsedFactOptions {
  readonly seed: number;
  readonly vin: string;
  readonly make: string;
  readonly condition: string;
  readonly odometer: number;
  readonly observedAt: number;
}

/**
 * Invented facts of a used unit: most have reports of two providers, which in some do not agree; some have none, and
 * some a report that may not be shown. The same options give the same facts; other cells of the file do not depend on them.
 */
export function usedFactCells(options: UsedFactOptions): UsedFactCells {
  if (options.condition === 'new') return NOTHING;
  const random = new SeededRandom(options.seed);
  const made = rfc3339(Math.floor(options.observedAt / 1000) * 1000 - random.between(3, 40) * DAY_MS);
  return {
    odometer_status: random.chance(0.9) ? 'actual' : 'unknown',
    history_reports_json: JSON.stringify(historyOf(options, random, made)),
    title_json: random.chance(0.8) ? JSON.stringify({ status: 'clear', brands: [] }) : '',
    condition_report_json: random.chance(0.5) ? JSON.stringify(conditionOf(random, made)) : '',
    certification_json:
      options.condition === 'certified'
        ? JSON.stringify({
            type: 'manufacturer_cpo',
            program_name: `${options.make} Certified Example`,
            certified_at: made,
            inspection_point_count: 150,
            warranty: [{ coverage_type: 'cpo_limited', status: 'included', term_months: 12 }],
          })
        : '',
    reconditioning_json: random.chance(0.4) ? JSON.stringify(reconditioningOf(random)) : '',
  };
}

function historyOf(options: UsedFactOptions, random: SeededRandom, made: string): object[] {
  const draw = random.next();
  if (draw < 0.15) return [];
  const events = random.chance(0.2);
  const carfax = reportOf(options, 'com.carfax', 'CARFAX', made, events);
  if (draw < 0.3) return [{ ...carfax, summary_sharing_authorized: false, summary: undefined }];
  // About one unit in eight: the second provider knows of an accident that the first does not.
  const disputed = random.chance(0.12);
  const autocheck = reportOf(options, 'com.experian.autocheck', 'AutoCheck', made, disputed ? !events : events);
  return [carfax, autocheck];
}

function reportOf(options: UsedFactOptions, id: string, name: string, made: string, events: boolean): object {
  const number = `${options.vin.slice(-6)}-${name.toLowerCase()}`;
  return {
    provider_id: id,
    provider_name: name,
    report_id: number,
    status: 'available',
    access: 'public_link',
    report_url: `https://history.example/reports/${number}`,
    report_generated_at: made,
    summary_sharing_authorized: true,
    summary: {
      accident_status: events ? 'events_reported' : 'no_events_reported',
      damage_status: events ? 'damage_reported' : 'no_damage_reported',
      title_brand_status: 'no_brands_reported',
      odometer_consistency: 'consistent',
      owner_count_status: 'unknown',
      last_reported_odometer: { value: Math.floor(options.odometer * 0.97), unit: 'mi' },
    },
  };
}

function conditionOf(random: SeededRandom, made: string): object {
  const scratched = random.chance(0.4);
  return {
    status: 'completed',
    inspection_authority: 'dealer',
    inspected_at: made,
    inspection_point_count: 125,
    grade: { system: 'Harbor retail inspection', value: scratched ? 'B' : 'A' },
    components: [
      { component: 'mechanical', status: 'pass' },
      { component: 'exterior', status: scratched ? 'attention' : 'pass' },
    ],
    ...(scratched ? { disclosed_damage: ['Light scratch on the rear bumper.'] } : {}),
  };
}

function reconditioningOf(random: SeededRandom): object {
  const done = random.chance(0.7);
  return {
    status: done ? 'completed' : 'in_progress',
    items: [
      { category: 'brakes', description: 'Front brake pads replaced.', status: 'completed' },
      { category: 'safety', description: 'Headlight aim.', status: done ? 'completed' : 'planned' },
    ],
  };
}
