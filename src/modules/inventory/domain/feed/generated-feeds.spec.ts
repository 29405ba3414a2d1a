import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readingWith } from '../../../../../test/fixtures/feeds/reading.js';
import { checkFeed } from './check-feed.js';

const GENERATOR = '../shared/feeds/generate.mjs';

interface Manifest {
  readonly totals: { readonly rows: number; readonly good_rows: number; readonly bad_rows: number };
  readonly bad_rows_by_reason: Readonly<
    Record<string, { readonly where: readonly { file: string; lines: number[] }[] }>
  >;
  readonly rooftops: readonly { readonly rooftop_id: string; readonly file: string }[];
}

/** Which of our reasons may stand for a defect of the generator. */
const REASONS: Readonly<Record<string, string>> = {
  vin_characters: 'vin_invalid',
  vin_length: 'vin_invalid',
  vin_check_digit: 'vin_checksum_failed',
  price_negative: 'price_invalid',
  price_not_integer: 'price_invalid',
  price_precision: 'price_invalid',
  odometer_negative: 'odometer_invalid',
  listing_url_not_https: 'listing_url_invalid',
  observed_at_no_offset: 'observed_at_invalid',
};

describe.skipIf(!existsSync(GENERATOR))(
  'generated groups with every kind of defect (skipped where ../shared is absent)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'feeds-'));
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    it.each(['dap-csv', 'dealercom'])(
      '%s: exactly the bad rows are quarantined, for the right reason',
      async (format) => {
        const out = join(folder, format);
        const { generate } = (await import(pathToFileURL(resolve(GENERATOR)).href)) as {
          generate: (options: object) => Promise<Manifest>;
        };
        const observedAt = '2026-11-30T06:00:00Z';
        await generate({
          rooftops: 3,
          vehicles: 1500,
          out,
          format,
          seed: '7',
          observedAt,
          badRate: 0.3,
          sharedRate: 0.002,
          org: 'org.example',
        });
        const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as Manifest;
        const defects = Object.entries(manifest.bad_rows_by_reason);
        expect(defects.length).toBeGreaterThan(12);
        let sound = 0;
        for (const { rooftop_id: rooftopId, file } of manifest.rooftops) {
          const expected = defects.flatMap(([defect, { where }]) =>
            where
              .filter((w) => w.file === file)
              .flatMap((w) => w.lines.map((line) => `${String(line)} ${REASONS[defect] ?? defect}`)),
          );
          const bytes = { chunks: () => createReadStream(join(out, file)) };
          const report = await checkFeed(
            bytes,
            readingWith({ rooftops: { kind: 'single', rooftopId } }, { vinChecksum: 'quarantine' }),
          );
          expect(report.quarantined.map((note) => `${String(note.line)} ${note.reason}`).sort()).toEqual(
            expected.sort(),
          );
          sound += report.tally.publishable + report.tally.withheld;
        }
        expect(sound).toBe(manifest.totals.good_rows);
      },
    );
  },
);
