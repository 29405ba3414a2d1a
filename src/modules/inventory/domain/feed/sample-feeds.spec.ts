import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inMemoryFeed } from '../../../../../test/fixtures/feeds/in-memory-feed.js';
import type { ListedUnit } from '../listed-unit.js';
import type { FeedReport } from './check-feed.js';
import { checkFeed } from './check-feed.js';
import type { FeedReading, FeedSettings, RooftopBinding } from './feed-settings.js';

const SAMPLES = '../shared/feeds/samples';

interface Expected {
  readonly file: string;
  readonly data_rows: number;
  readonly publishable: number;
  readonly publishable_if_check_digit_enforced: number;
  readonly withheld: readonly { line: number; record: number; reason: string }[];
  readonly collapsed: readonly { line: number; record: number; same_as_line: number }[];
  readonly quarantined_count: number;
  readonly quarantined: readonly { line: number; record: number; reason: string }[];
  readonly flags: readonly { line: number; record: number; flag: string; vin: string }[];
  readonly examples: readonly (Record<string, unknown> & { line: number })[];
}

interface Sample {
  readonly name: string;
  readonly profile: string;
  /** What detection must come to; `auto` is tried where this is set. */
  readonly detected: boolean;
  readonly encoding: string;
  readonly rooftops: RooftopBinding;
  readonly settings: Partial<FeedSettings>;
}

const single: RooftopBinding = { kind: 'single', rooftopId: 'roof.only' };
const byKey = (...keys: string[]): RooftopBinding => ({
  kind: 'by_key',
  keys: Object.fromEntries(keys.map((key) => [key, `roof.${key.toLowerCase()}`])),
});

const samples: readonly Sample[] = [
  {
    name: 'vauto',
    profile: 'vauto',
    detected: true,
    encoding: 'utf-8',
    rooftops: byKey('EXMOTORSNORTH', 'EXMOTORSSOUTH'),
    settings: { timeZone: 'America/Chicago', odometerUnit: 'mi', emptyStatus: 'available' },
  },
  {
    name: 'homenet-iol',
    profile: 'homenet-iol',
    detected: true,
    encoding: 'utf-8',
    rooftops: byKey('7001'),
    settings: { timeZone: 'America/New_York', odometerUnit: 'mi', emptyStatus: 'available' },
  },
  {
    name: 'frazer-dcs',
    profile: 'frazer',
    detected: true,
    encoding: 'windows-1252',
    rooftops: single,
    settings: { odometerUnit: 'mi' },
  },
  {
    name: 'autotrader-ca',
    profile: 'autotrader-ca',
    detected: false,
    encoding: 'utf-8',
    rooftops: byKey('99001', '99002'),
    settings: { currency: 'CAD', odometerUnit: 'km', conditionMap: { '101': 'used', '102': 'new' } },
  },
  {
    name: 'meta-vehicles',
    profile: 'meta-vehicles',
    detected: true,
    encoding: 'utf-8',
    rooftops: byKey('WEST-01'),
    settings: { timeZone: 'America/Los_Angeles' },
  },
  {
    name: 'google-vehicle-listings',
    profile: 'google-vehicle-listings',
    detected: true,
    encoding: 'utf-8',
    rooftops: byKey('EX-WEST', 'EX-EAST'),
    settings: { timeZone: 'America/New_York', odometerUnit: 'mi' },
  },
  {
    name: 'autoxloo-ax10',
    profile: 'autoxloo',
    detected: true,
    encoding: 'utf-8',
    rooftops: single,
    settings: { timeZone: 'America/Denver', odometerUnit: 'mi' },
  },
  {
    name: 'dealercom-inventory',
    profile: 'dealercom-json',
    detected: true,
    encoding: 'utf-8',
    rooftops: byKey('exampletoyota', 'exampleford'),
    settings: { odometerUnit: 'mi', baseUrl: 'https://www.{accountId}.example' },
  },
];

function readingOf(sample: Sample, profile: string, settings: Partial<FeedSettings> = {}): FeedReading {
  return {
    organizationId: 'org.example',
    profile,
    rooftops: sample.rooftops,
    settings: { currency: 'USD', timeZone: 'America/New_York', ...sample.settings, ...settings },
    receivedAt: Date.parse('2026-11-30T06:00:00Z'),
  };
}

/** A unit in the words of the expected examples; only members that the example names are compared. */
function asExample(unit: ListedUnit, names: readonly string[]): Record<string, unknown> {
  const all: Record<string, unknown> = {
    dealer_key: unit.dealerKey ?? null,
    vin: unit.vin,
    stock_number: unit.stockNumber,
    condition: unit.condition,
    year: unit.year,
    make: unit.make,
    model: unit.model,
    trim: unit.trim ?? null,
    body_style: unit.bodyStyle ?? null,
    exterior_color: unit.exteriorColor ?? null,
    interior_color: unit.interiorColor ?? null,
    odometer: unit.odometer ?? null,
    advertised_price: unit.advertisedPrice ?? null,
    list_price: unit.listPrice ?? null,
    conditional_adjustments: unit.conditionalAdjustments,
    availability_status: unit.availability,
    stocked_at: unit.stockedAt ?? null,
    stocked_at_precision: unit.stockedAtPrecision ?? null,
    listing_url: unit.listingUrl ?? null,
    image_urls: unit.imageUrls,
    description_text: unit.description ?? null,
    features: unit.features,
  };
  return Object.fromEntries(names.map((name) => [name, name in all ? all[name] : `the test knows no ${name}`]));
}

describe.skipIf(!existsSync(SAMPLES))('the sample feeds of ../shared (skipped where that folder is absent)', () => {
  describe.each(samples)('$name', (sample) => {
    const expected = existsSync(SAMPLES)
      ? (JSON.parse(readFileSync(`${SAMPLES}/${sample.name}.expected.json`, 'utf8')) as Expected)
      : ({} as Expected);
    const bytes = (): Uint8Array => readFileSync(`${SAMPLES}/${expected.file}`);
    const units = new Map<number, ListedUnit>();
    const read = (profile: string, settings?: Partial<FeedSettings>): Promise<FeedReport> =>
      checkFeed(inMemoryFeed(bytes()), readingOf(sample, profile, settings), (row) => {
        if (row.kind === 'unit') units.set(row.at.line, row.unit);
      });
    const pick = (notes: FeedReport['withheld']): unknown =>
      notes.map(({ line, record, reason }) => ({ line, record, reason }));

    it('gives every row the outcome that is expected of it, at its line', async () => {
      const report = await read(sample.profile);
      expect(report.encoding).toBe(sample.encoding);
      expect(report.tally.rows).toBe(expected.data_rows);
      expect(pick(report.quarantined)).toEqual(expected.quarantined);
      expect(pick(report.withheld)).toEqual(expected.withheld);
      expect(
        report.collapsed.map(({ line, record, sameAsLine }) => ({ line, record, same_as_line: sameAsLine })),
      ).toEqual(expected.collapsed.map(({ line, record, same_as_line }) => ({ line, record, same_as_line })));
      expect(report.tally.publishable).toBe(expected.publishable);
      expect(report.tally.quarantined).toBe(expected.quarantined_count);
      const { publishable, withheld, collapsed, quarantined } = report.tally;
      expect(publishable + withheld + collapsed + quarantined).toBe(expected.data_rows);
    });

    it('carries the expected flags', async () => {
      const report = await read(sample.profile);
      const flags = report.flags.map(({ line, record, reason }) => ({ line, record, flag: reason }));
      for (const { line, record, flag } of expected.flags) expect(flags).toContainEqual({ line, record, flag });
    });

    it('normalises the three examples completely', async () => {
      await read(sample.profile);
      expect(expected.examples).toHaveLength(3);
      for (const example of expected.examples) {
        const { line, ...members } = example;
        const names = Object.keys(members).filter((name) => name !== 'record');
        const unit = units.get(line);
        expect(unit, `line ${String(line)}`).toBeDefined();
        expect(asExample(unit!, names)).toEqual(Object.fromEntries(names.map((name) => [name, members[name]])));
      }
    });

    it('quarantines wrong check digits where the policy says so', async () => {
      const report = await read(sample.profile, { vinChecksum: 'quarantine' });
      expect(report.tally.publishable).toBe(expected.publishable_if_check_digit_enforced);
    });

    it('is detected by its columns, and not at all where it has no header', async () => {
      if (sample.detected) expect((await read('auto')).profile).toBe(sample.profile);
      else await expect(read('auto')).rejects.toMatchObject({ problem: 'format_unrecognised' });
    });

    it('gives the same rows however its bytes are cut', async () => {
      const whole = await read(sample.profile);
      const cut = await checkFeed(inMemoryFeed(bytes(), 7), readingOf(sample, sample.profile));
      expect(cut).toEqual(whole);
    });
  });
});
