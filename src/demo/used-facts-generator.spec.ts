import { describe, expect, it } from 'vitest';
import { readUnits } from '../../test/fixtures/feeds/read-rows.js';
import { readingWith } from '../../test/fixtures/feeds/reading.js';
import { certificationType, historyReportStatus } from '../modules/inventory/domain/used-vehicle/summary-facts.js';
import { generateInventory } from './inventory-generator.js';

const OPTIONS = {
  organizationId: 'org.example',
  rooftopId: 'roof.north',
  rooftopNumber: 0,
  units: 300,
  observedAt: Date.parse('2026-11-30T05:00:00Z'),
  badRowShare: 0,
};

describe('the facts of generated used units', () => {
  const rows = readUnits([...generateInventory({ ...OPTIONS, usedFacts: true })].join(''), readingWith());

  it('are sound in every row, and show every kind of history', async () => {
    const used = (await rows).map((row) => row.unit).filter((unit) => unit.condition !== 'new');
    const statuses = used.map(historyReportStatus);
    expect(new Set(statuses)).toEqual(new Set(['available', 'unknown', 'conflicting']));
    expect(statuses.filter((status) => status === 'conflicting').length).toBeLessThan(used.length / 5);
    expect(new Set(used.map(certificationType))).toEqual(new Set(['manufacturer_cpo', 'not_certified']));
  });

  it('leave every other cell as it is without them', async () => {
    const plain = await readUnits([...generateInventory(OPTIONS)].join(''), readingWith());
    const idOf = (of: Awaited<typeof rows>): unknown[] => of.map(({ unit }) => [unit.vin, unit.advertisedPrice]);
    expect(idOf(await rows)).toEqual(idOf(plain));
  });
});
