import fc from 'fast-check';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import {
  anyUsedUnit,
  PLAIN_SUMMARY,
  PLAIN_USED_UNIT,
  USED_OBSERVED_AT,
} from '../../../../../test/support/arbitrary-used-unit.js';
import { compileValidator } from '../../../../kernel/schema/validator.js';
import type { HistoryReportRef, ListedUnit } from '../listed-unit.js';
import type { VehicleContext } from '../vehicle-record/vehicle-context.js';
import { certificationType, historyReportStatus } from './summary-facts.js';
import { usedVehicleDetails } from './used-vehicle-details.js';
import type { UsedVehicleDetails } from './used-vehicle-details-schema.js';
import { UsedVehicleDetails as DetailsSchema } from './used-vehicle-details-schema.js';
import type { HistorySummary } from './used-vehicle-facts.js';

const context: VehicleContext = {
  organizationId: 'org.example',
  vehicleId: 'veh.abc',
  rooftop: { inventorySlaSeconds: 900, requiredCharges: { status: 'unknown' }, publishInventoryAge: true },
  source: { feedName: 'nightly', sha256: 'ab'.repeat(32), line: 17 },
};
const NOW = USED_OBSERVED_AT + 60_000;

const detailsOf = (of: ListedUnit, at = NOW): UsedVehicleDetails => {
  const details = usedVehicleDetails(of, context, at, 'trc_0123456789');
  if (details === undefined) throw new Error('no details');
  return details;
};

const reportOf = (providerName: string, said: Partial<HistorySummary>, more = {}): HistoryReportRef => ({
  providerId: `com.${providerName.toLowerCase()}`,
  providerName,
  status: 'available',
  access: 'public_link',
  reportUrl: 'https://history.example/1',
  summarySharingAuthorized: true,
  summary: { ...PLAIN_SUMMARY, ...said },
  ...more,
});

const withReports = (...historyReports: HistoryReportRef[]): ListedUnit => ({ ...PLAIN_USED_UNIT, historyReports });

describe('usedVehicleDetails', () => {
  const problemsOf = compileValidator(DetailsSchema);

  it('says unknown where nobody said anything', () => {
    const details = detailsOf(PLAIN_USED_UNIT);
    expect(details).toMatchObject({
      odometer: { reading: { value: 18_420, unit: 'mi' }, status: 'unknown' },
      inventory_tenure: { age_days: 47, age_basis: 'stocked_at', age_as_of: '2026-09-01T14:00:00Z' },
      history_reports: [],
      title: { status: 'unknown', brands: [] },
      condition_report: { status: 'unknown', inspection_authority: 'unknown' },
      certification: { type: 'unknown' },
      reconditioning: { status: 'unknown', items: [] },
      discrepancies: [],
    });
    expect(historyReportStatus(PLAIN_USED_UNIT)).toBe('unknown');
  });

  it('is not made up for a new unit, or without odometer, stocked date or leave to publish it', () => {
    const { odometer, ...unread } = PLAIN_USED_UNIT;
    const { stockedAt, ...undated } = PLAIN_USED_UNIT;
    expect([odometer, stockedAt]).not.toContain(undefined);
    const none = [unread, undated, { ...PLAIN_USED_UNIT, condition: 'new' as const }];
    for (const of of none) expect(usedVehicleDetails(of, context, NOW, 'trc_0123456789')).toBeUndefined();
    const silent = { ...context, rooftop: { ...context.rooftop, publishInventoryAge: false } };
    expect(usedVehicleDetails(PLAIN_USED_UNIT, silent, NOW, 'trc_0123456789')).toBeUndefined();
  });

  it('turns every fact stale with its row', () => {
    const of = withReports(reportOf('CARFAX', {}));
    const statesAt = (at: number): string[] => JSON.stringify(detailsOf(of, at)).match(/"state":"\w+"/g) ?? [];
    expect(new Set(statesAt(USED_OBSERVED_AT + 900_000))).toEqual(new Set(['"state":"current"']));
    expect(new Set(statesAt(USED_OBSERVED_AT + 900_001))).toEqual(new Set(['"state":"stale"']));
  });

  it('keeps providers apart, each with its own source and time', () => {
    const generatedAt = '2026-08-25T14:00:00Z';
    const observedAt = '2026-08-26T14:00:00Z';
    const [carfax, autocheck] = detailsOf(
      withReports(reportOf('CARFAX', {}, { generatedAt, observedAt, reportId: 'r1' }), reportOf('AutoCheck', {})),
    ).history_reports;
    expect(carfax).toMatchObject({
      report_generated_at: generatedAt,
      observed_at: observedAt,
      provenance: {
        sources: [{ source_name: 'CARFAX', source_record_id: 'r1', authority: 'third_party', observed_at: observedAt }],
        authority_status: 'unknown',
      },
    });
    expect(autocheck).toMatchObject({
      observed_at: '2026-09-01T14:00:00Z',
      provenance: { sources: [{ source_name: 'AutoCheck', authority: 'third_party' }] },
    });
  });

  it('gives a link only where the public may follow it, and no summary that may not be shared', () => {
    const [open, shown, plain, closed] = detailsOf(
      withReports(
        reportOf('A', {}),
        reportOf('B', {}, { access: 'dealer_presented' }),
        reportOf('C', {}, { reportUrl: 'http://history.example/1' }),
        reportOf('D', {}, { summarySharingAuthorized: false }),
      ),
    ).history_reports;
    expect([open, shown, plain].map((report) => report?.report_url)).toEqual([
      'https://history.example/1',
      undefined,
      undefined,
    ]);
    expect(open?.summary).toBeDefined();
    expect(closed?.summary).toBeUndefined();
  });

  it('names no manufacturer program that nobody named, and calls no certified unit uncertified', () => {
    const typeOf = (of: Partial<ListedUnit>): string => certificationType({ ...PLAIN_USED_UNIT, ...of });
    expect(typeOf({ certificationType: 'manufacturer_cpo' })).toBe('unknown');
    expect(typeOf({ certification: { type: 'manufacturer_cpo', program_name: 'Example Certified' } })).toBe(
      'manufacturer_cpo',
    );
    expect(typeOf({ certificationType: 'dealer_certified' })).toBe('dealer_certified');
    expect(typeOf({ certificationType: 'not_certified' })).toBe('not_certified');
    expect(typeOf({ certificationType: 'not_certified', condition: 'certified' })).toBe('unknown');
  });

  it('calls no branded title clear, however the brand was told', () => {
    const clear = { status: 'clear' as const, brands: [] };
    expect(detailsOf({ ...PLAIN_USED_UNIT, title: clear }).title).toMatchObject(clear);
    expect(detailsOf({ ...PLAIN_USED_UNIT, title: clear, titleBrands: ['salvage'] }).title).toMatchObject({
      status: 'branded',
      brands: ['salvage'],
    });
  });

  it('is valid under our own schema for any unit', () => {
    fc.assert(
      fc.property(anyUsedUnit, (of) => {
        expect(problemsOf(detailsOf(of))).toEqual([]);
      }),
    );
  });

  it('never says what no source can know', () => {
    fc.assert(
      fc.property(anyUsedUnit, (of) => {
        expect(JSON.stringify(detailsOf(of))).not.toMatch(
          /(accident|damage)[\s-]*free|clean|no accidents?\b|spotless/i,
        );
      }),
    );
  });
});

describe('discrepancies', () => {
  const fieldsOf = (of: ListedUnit): string[] => detailsOf(of).discrepancies.map((d) => d.field);

  it('name both providers of a differing accident status, and decide nothing', () => {
    const of = withReports(
      reportOf('CARFAX', { accident_status: 'no_events_reported' }),
      reportOf('AutoCheck', { accident_status: 'events_reported' }),
    );
    expect(detailsOf(of).discrepancies).toEqual([
      {
        field: 'accident_status',
        source_names: ['CARFAX', 'AutoCheck'],
        description: 'Sources differ on accident status. CARFAX: no events reported; AutoCheck: events reported.',
        status: 'unresolved',
      },
    ]);
    expect(historyReportStatus(of)).toBe('conflicting');
  });

  it.each<[string, Partial<HistorySummary>, Partial<HistorySummary>]>([
    ['damage_status', { damage_status: 'damage_reported' }, { damage_status: 'no_damage_reported' }],
    [
      'structural_damage_status',
      { structural_damage_status: 'reported' },
      { structural_damage_status: 'not_reported' },
    ],
    [
      'airbag_deployment_status',
      { airbag_deployment_status: 'reported' },
      { airbag_deployment_status: 'not_reported' },
    ],
    ['title_brand_status', { title_brand_status: 'brands_reported' }, { title_brand_status: 'no_brands_reported' }],
    ['odometer_consistency', { odometer_consistency: 'consistent' }, { odometer_consistency: 'discrepancy_reported' }],
    ['owner_count', { owner_count_status: 'known', owner_count: 1 }, { owner_count_status: 'known', owner_count: 2 }],
  ])('are found on %s', (field, one, other) => {
    expect(fieldsOf(withReports(reportOf('CARFAX', one), reportOf('AutoCheck', other)))).toEqual([field]);
    expect(fieldsOf(withReports(reportOf('CARFAX', one), reportOf('AutoCheck', one)))).toEqual([]);
    expect(fieldsOf(withReports(reportOf('CARFAX', one), reportOf('AutoCheck', {})))).toEqual([]);
  });

  it('set a provider against what the dealer says of title and odometer', () => {
    const branded = withReports(reportOf('CARFAX', { title_brand_status: 'brands_reported' }));
    const clear = { ...branded, title: { status: 'clear' as const, brands: [] } };
    expect(detailsOf(clear).discrepancies[0]?.source_names).toEqual(['nightly', 'CARFAX']);
    expect(fieldsOf({ ...branded, titleBrands: ['rebuilt'] })).toEqual([]);
    const doubtful = withReports(reportOf('CARFAX', { odometer_consistency: 'discrepancy_reported' }));
    expect(fieldsOf({ ...doubtful, odometerStatus: 'actual' })).toEqual(['odometer_consistency']);
    expect(fieldsOf({ ...doubtful, odometerStatus: 'not_actual' })).toEqual([]);
  });

  it('find a provider that has seen a higher odometer, in either unit', () => {
    const seen = (value: number, unit: 'mi' | 'km'): string[] =>
      fieldsOf(withReports(reportOf('CARFAX', { last_reported_odometer: { value, unit } })));
    expect(seen(18_420, 'mi')).toEqual([]);
    expect(seen(18_421, 'mi')).toEqual(['odometer.reading']);
    expect(seen(29_644, 'km')).toEqual([]);
    expect(seen(29_646, 'km')).toEqual(['odometer.reading']);
  });

  it('always name at least two different sources, and make the history conflicting', () => {
    fc.assert(
      fc.property(anyUsedUnit, (of) => {
        const { discrepancies } = detailsOf(of);
        for (const { source_names } of discrepancies) {
          expect(source_names.length).toBeGreaterThan(1);
          expect(new Set(source_names).size).toBe(source_names.length);
        }
        expect(historyReportStatus(of) === 'conflicting').toBe(discrepancies.length > 0);
      }),
    );
  });

  it('do not depend on the order in which reports are listed', () => {
    fc.assert(
      fc.property(anyUsedUnit, (of) => {
        const turned = { ...of, historyReports: [...of.historyReports].reverse() };
        expect(fieldsOf(turned)).toEqual(fieldsOf(of));
      }),
    );
  });
});

const PUBLISHED_SCHEMAS = resolve(import.meta.dirname, '../../../../../../shared/specs/dap/schemas');

describe.skipIf(!existsSync(PUBLISHED_SCHEMAS))('the published DAP used-vehicle schema', () => {
  it('accepts the details of every unit', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    addFormats.default(ajv);
    const load = (name: string): object =>
      JSON.parse(readFileSync(resolve(PUBLISHED_SCHEMAS, `${name}.schema.json`), 'utf8')) as object;
    ajv.addSchema(load('common'));
    const validate = ajv.compile(load('used-vehicle'));
    fc.assert(
      fc.property(anyUsedUnit, (of) => {
        const valid = validate(detailsOf(of));
        expect({ valid, errors: validate.errors }).toEqual({ valid: true, errors: null });
      }),
    );
  });
});
