import { describe, expect, it } from 'vitest';
import { readUnits } from '../../../../../../test/fixtures/feeds/read-rows.js';
import type { UnitRow } from '../row-outcome.js';

const rowWith = async (link: string): Promise<UnitRow | undefined> =>
  (
    await readUnits(
      `VIN,Stock #,NewUsed,Year,Make,Model,InternetPrice,Status,VDPUrl,LastUpdated,CarfaxUrl
1HGCM82633A004352,S1,used,2020,Honda,Accord,"$19,995",in stock,https://d.example/1,2026-11-29T05:00:00-05:00,${link}`,
    )
  )[0];

describe('A column with the link to a report', () => {
  it('gives the link to everybody where it is for everybody', async () => {
    const row = await rowWith('https://history.example/1?vin=2');
    expect(row?.unit.historyReports).toMatchObject([
      { providerId: 'com.carfax', access: 'public_link', reportUrl: 'https://history.example/1?vin=2' },
    ]);
    expect(row?.flags).toEqual([]);
  });

  it.each(['https://history.example/1?vin=2&token=secret', 'https://history.example/1?X-Amz-Signature=secret'])(
    'says no more than that there is a report where the link carries a right: %s',
    async (link) => {
      const row = await rowWith(link);
      expect(row?.unit.historyReports).toMatchObject([{ status: 'available', access: 'restricted' }]);
      expect(JSON.stringify(row?.unit)).not.toContain('secret');
      expect(row?.flags).toEqual([{ flag: 'report_url_dropped', column: 'CarfaxUrl' }]);
    },
  );
});
