import { describe, expect, it } from 'vitest';
import type { GeneratorOptions } from './inventory-generator.js';
import { generateInventory } from './inventory-generator.js';

const OPTIONS: GeneratorOptions = {
  organizationId: 'org.a',
  rooftopId: 'roof.a',
  rooftopNumber: 0,
  units: 400,
  observedAt: Date.parse('2026-11-30T12:00:00Z'),
  badRowShare: 0,
};
const make = (more: Partial<GeneratorOptions> = {}): string => [...generateInventory({ ...OPTIONS, ...more })].join('');
const vinsOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[2] ?? '');

const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const VALUES: Record<string, number> = {
  A: 1,
  B: 2,
  C: 3,
  D: 4,
  E: 5,
  F: 6,
  G: 7,
  H: 8,
  J: 1,
  K: 2,
  L: 3,
  M: 4,
  N: 5,
  P: 7,
  R: 9,
  S: 2,
  T: 3,
  U: 4,
  V: 5,
  W: 6,
  X: 7,
  Y: 8,
  Z: 9,
};

/** The check digit as 49 CFR 565.15 has it, written apart from the generator's own. */
function checkDigitOf(vin: string): string {
  const sum = Array.from(vin).reduce((total, char, i) => total + (VALUES[char] ?? Number(char)) * (WEIGHTS[i] ?? 0), 0);
  return sum % 11 === 10 ? 'X' : String(sum % 11);
}

describe('A generated inventory', () => {
  it('is the same for the same wishes, and another for another rooftop', () => {
    expect(make()).toBe(make());
    expect(make({ rooftopNumber: 1 })).not.toBe(make());
  });

  it('has VINs of the right shape with the right check digit, each once, over many rooftops', () => {
    const vins = [0, 1, 22, 23, 528, 529].flatMap((rooftopNumber) => vinsOf(make({ rooftopNumber })));
    expect(vins).toHaveLength(6 * 400);
    expect(new Set(vins).size).toBe(vins.length);
    expect(vins.filter((vin) => !/^[A-HJ-NPR-Z0-9]{17}$/.test(vin))).toEqual([]);
    expect(vins.filter((vin) => vin[8] !== checkDigitOf(vin))).toEqual([]);
    expect(checkDigitOf('1M8GDM9AXKP042788')).toBe('X');
  });

  it('knows the VINs of a published example', () => {
    expect('1HGCM82633A004352'[8]).toBe(checkDigitOf('1HGCM82633A004352'));
  });

  it('has one line a unit, whatever its size, and as many columns in each', () => {
    for (const units of [0, 1, 2000]) expect(make({ units }).trim().split('\n')).toHaveLength(units + 1);
  });

  it('ends with units that nobody has looked at for days, stocked before they were last seen', () => {
    const lines = make({ longUnseen: 6 }).trim().split('\n').slice(1);
    const times = lines.map((line) => (line.match(/\d{4}-\d\d-\d\dT[\d:]+Z/g) ?? []).map(Date.parse));
    const unseen = times.filter(([observed = 0]) => OPTIONS.observedAt - observed >= 3 * 86_400_000);
    expect(unseen).toEqual(times.slice(-6));
    expect(times.filter(([observed = 0, stocked = Infinity]) => stocked > observed)).toEqual([]);
    expect(lines.slice(0, -6)).toEqual(make().trim().split('\n').slice(1, -6));
  });

  it('spoils about as many rows as it is asked to', () => {
    const sound = new Set(make().split('\n'));
    const spoiled = make({ badRowShare: 1 })
      .trim()
      .split('\n')
      .slice(1)
      .filter((line) => sound.has(line));
    expect(spoiled).toEqual([]);
  });
});
