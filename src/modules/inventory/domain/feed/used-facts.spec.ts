import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DapCells } from '../../../../../test/fixtures/feeds/dap-row.js';
import { dapCsv } from '../../../../../test/fixtures/feeds/dap-row.js';
import { readQuarantined, readRows, readUnits } from '../../../../../test/fixtures/feeds/read-rows.js';
import type { UnitRow } from './row-outcome.js';

const one = async (cells: DapCells): Promise<UnitRow> => (await readUnits(dapCsv(cells)))[0]!;
const problemsOf = async (cells: DapCells): Promise<readonly unknown[]> =>
  (await readQuarantined(dapCsv(cells))).flatMap((row) => row.problems);
const json = (column: string, value: unknown): DapCells => ({ [column]: JSON.stringify(value) });
const flagsOf = (row: UnitRow): string[] => row.flags.map(({ flag }) => flag);

const SUMMARY = {
  accident_status: 'events_reported',
  accident_event_count: 1,
  damage_status: 'damage_reported',
  title_brand_status: 'no_brands_reported',
  odometer_consistency: 'consistent',
  owner_count_status: 'known',
  owner_count: 2,
  prior_use: ['personal'],
  last_reported_odometer: { value: 18_110, unit: 'mi' },
};
const REPORT = {
  provider_id: 'com.carfax',
  provider_name: 'CARFAX',
  report_id: 'r-1',
  status: 'available',
  access: 'public_link',
  report_url: 'https://history.example/r-1',
  report_generated_at: '2026-08-25T14:00:00Z',
  observed_at: '2026-09-01T13:30:00Z',
  summary_sharing_authorized: true,
  summary: SUMMARY,
};

describe('history reports of the normative CSV', () => {
  const read = async (report: object): Promise<UnitRow> => one(json('history_reports_json', [report]));

  it('are kept with id, link, times and a summary that may be shared', async () => {
    const row = await read({ ...REPORT, provenance: { sources: [] }, raw_text: 'licensed' });
    expect(row.unit.historyReports).toEqual([
      {
        providerId: 'com.carfax',
        providerName: 'CARFAX',
        reportId: 'r-1',
        status: 'available',
        access: 'public_link',
        reportUrl: 'https://history.example/r-1',
        generatedAt: '2026-08-25T14:00:00Z',
        observedAt: '2026-09-01T13:30:00Z',
        summarySharingAuthorized: true,
        summary: SUMMARY,
      },
    ]);
    expect(row.flags).toEqual([]);
  });

  it.each([undefined, false, null, 'true', 1])(
    'lose their summary at the door when sharing is %s, whatever it holds',
    async (summary_sharing_authorized) => {
      const row = await read({ ...REPORT, summary_sharing_authorized, summary: { anything: 'secret' } });
      expect(row.unit.historyReports[0]).toMatchObject({ summarySharingAuthorized: false });
      expect(JSON.stringify(row.unit)).not.toContain('secret');
      expect(flagsOf(row)).toEqual(['history_summary_dropped']);
    },
  );

  it.each([
    'http://history.example/r-1',
    'https://user:pass@history.example/r-1',
    'https://history.example/r-1?X-Amz-Signature=abc',
    'https://history.example/r-1?vin=1&token=abc',
    'javascript:alert(1)',
  ])('lose a link that is not for the public: %s', async (report_url) => {
    const row = await read({ ...REPORT, report_url });
    expect(row.unit.historyReports[0]).not.toHaveProperty('reportUrl');
    expect(flagsOf(row)).toEqual(['report_url_dropped']);
  });

  it.each<[string, object]>([
    ['provider id', { provider_id: 'CARFAX' }],
    ['provider name', { provider_name: '' }],
    ['status', { status: 'fine' }],
    ['access', { access: 'open' }],
    ['time without offset', { report_generated_at: '2026-08-25T14:00:00' }],
    ['time that is none', { observed_at: 17 }],
    ['summary word', { summary: { ...SUMMARY, accident_status: 'none' } }],
    ['missing summary member', { summary: { accident_status: 'unknown' } }],
    ['known owners without a count', { summary: { ...SUMMARY, owner_count: undefined } }],
    ['accidents counted where none is reported', { summary: { ...SUMMARY, accident_status: 'no_events_reported' } }],
  ])('quarantine the row for a wrong %s', async (_, wrong) => {
    expect(await problemsOf(json('history_reports_json', [{ ...REPORT, ...wrong }]))).toEqual([
      { reason: 'json_invalid', column: 'history_reports_json' },
    ]);
  });

  it('quarantine the row for a time in the future and for too many reports', async () => {
    expect(
      await problemsOf(json('history_reports_json', [{ ...REPORT, observed_at: '2099-01-01T00:00:00Z' }])),
    ).toEqual([{ reason: 'date_invalid', column: 'history_reports_json' }]);
    expect(
      await problemsOf(
        json(
          'history_reports_json',
          Array.from({ length: 21 }, () => REPORT),
        ),
      ),
    ).toHaveLength(1);
  });
});

describe('facts of used units', () => {
  it('are kept as they are published, without members that are not', async () => {
    const title = { status: 'branded', brands: ['salvage'], jurisdiction: 'US-FL' };
    const condition = {
      status: 'completed',
      inspection_authority: 'dealer',
      inspected_at: '2026-08-30T14:00:00Z',
      grade: { system: 'Example v1', value: 'A' },
      components: [{ component: 'exterior', status: 'attention', note: 'Scratch' }],
    };
    const certification = { type: 'manufacturer_cpo', program_name: 'Example Certified', inspection_point_count: 150 };
    const item = { category: 'brakes', description: 'Front pads replaced', status: 'completed' };
    const row = await one({
      certification_type: 'manufacturer_cpo',
      odometer_status: 'Not Actual',
      ...json('title_json', { ...title, jurisdiction_note: 'x' }),
      ...json('condition_report_json', { ...condition, technician_notes: 'secret', report_url: null }),
      ...json('certification_json', { ...certification, cost_minor: 123 }),
      ...json('reconditioning_json', {
        status: 'completed',
        total_cost: 4711,
        items: [{ ...item, labor_hours: 2, cost_minor: 4711, technician_note: 'secret' }],
      }),
    });
    expect(row.unit).toMatchObject({ odometerStatus: 'not_actual', title, conditionReport: condition, certification });
    expect(row.unit.reconditioning).toEqual({ status: 'completed', items: [item] });
    expect(row.unit.title).toEqual(title);
    expect(JSON.stringify(row.unit)).not.toMatch(/secret|4711|labor|cost_minor/);
    expect(row.columns).toMatchObject({ title: 'title_json', reconditioning: 'reconditioning_json' });
    expect(row.flags).toEqual([]);
  });

  it('are absent from rows without them', async () => {
    const { unit } = await one({ title_json: '', reconditioning_json: '' });
    for (const member of ['title', 'conditionReport', 'certification', 'reconditioning', 'odometerStatus'])
      expect(unit).not.toHaveProperty(member);
  });

  it.each<[string, DapCells]>([
    ['title_json', { title_json: '{' }],
    ['title_json', json('title_json', [])],
    ['title_json', json('title_json', { status: 'fine', brands: [] })],
    ['title_json', json('title_json', { status: 'clear', brands: ['salvage'] })],
    ['condition_report_json', json('condition_report_json', { status: 'completed' })],
    ['certification_json', json('certification_json', { type: 'gold' })],
    ['certification_json', json('certification_json', { type: 'dealer_certified' })],
    ['reconditioning_json', json('reconditioning_json', { status: 'completed', items: [{}] })],
    [
      'reconditioning_json',
      json('reconditioning_json', {
        status: 'completed',
        items: [{ category: 'safety', description: 'Airbag', status: 'declined' }],
      }),
    ],
  ])('quarantine the row when %s is malformed or contradicts the row: %j', async (column, cells) => {
    expect(await problemsOf(cells)).toEqual([{ reason: 'json_invalid', column }]);
  });

  it('let reconditioning be under way, or complete with an open scratch', async () => {
    const item = (category: string, status: string): object => ({ category, description: 'x', status });
    for (const value of [
      { status: 'in_progress', items: [item('safety', 'planned')] },
      { status: 'completed', items: [item('cosmetic', 'declined'), item('safety', 'completed')] },
    ])
      expect((await one(json('reconditioning_json', value))).unit.reconditioning).toEqual(value);
  });

  it('flag an unnamed program and an unknown odometer word, and keep them unknown', async () => {
    const row = await one({
      certification_type: '',
      odometer_status: 'roughly',
      ...json('certification_json', { type: 'manufacturer_cpo' }),
    });
    expect(flagsOf(row)).toEqual(['certification_program_missing', 'odometer_status_unrecognised']);
    expect(row.unit.odometerStatus).toBe('unknown');
  });

  it.each(['100% accident-free!', 'Accident free', 'No prior accidents', 'Clean CARFAX', 'never been in an accident'])(
    'say nothing that no source can know: %s',
    async (claim) => {
      const row = await one({
        ...json('condition_report_json', {
          status: 'completed',
          inspection_authority: 'dealer',
          inspector_name: claim,
        }),
        ...json('reconditioning_json', {
          status: 'in_progress',
          items: [{ category: 'other', description: claim, status: 'planned' }],
        }),
      });
      expect(JSON.stringify([row.unit.conditionReport, row.unit.reconditioning])).not.toContain(claim);
      expect(flagsOf(row)).toEqual(['history_claim_withheld', 'history_claim_withheld']);
    },
  );

  it('never break the reading of a file, whatever a cell holds', async () => {
    const column = fc.constantFrom(
      'title_json',
      'condition_report_json',
      'certification_json',
      'reconditioning_json',
      'history_reports_json',
    );
    const deep = fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
    await fc.assert(
      fc.asyncProperty(column, fc.oneof(fc.json(), fc.string(), deep), async (name, cell) => {
        expect(await readRows(dapCsv({ [name]: cell }))).toHaveLength(1);
      }),
    );
  });
});
