import { describe, expect, it } from 'vitest';
import { readVin } from './read-vin.js';

describe('reading a VIN', () => {
  it.each(['1HGCM82633A004352', '1M8GDM9AXKP042788', ' 1hgcm82633a004352 ', '1HGCM 82633 A004352'])(
    'accepts %j',
    (raw) => {
      expect(readVin(raw)).toMatchObject({
        kind: 'vin',
        vin: raw.replace(/\s/g, '').toUpperCase(),
        checksum: 'passed',
      });
    },
  );

  it.each(['1HGCM82633A004325', '1HGCM82643A004352'])('notices the wrong check digit of %s', (raw) => {
    expect(readVin(raw)).toMatchObject({ kind: 'vin', checksum: 'failed' });
  });

  it('asks no check digit of a maker outside North America', () => {
    expect(readVin('WVGZZZ5NZJM131395')).toMatchObject({ kind: 'vin', checksum: 'not_applicable', digitFits: false });
  });

  it.each([
    '1HGCM82633A00435',
    '1HGCM82633A0043520',
    'IHGCM82633A004352',
    '1HGCM82633AO04352',
    '1HGCM82633AQ04352',
    '8Z37H9S412345',
    '2HGFE2F57-H905169',
  ])('refuses %s', (raw) => {
    expect(readVin(raw)).toEqual({ kind: 'invalid' });
  });

  it.each(['11111111111111111', '00000000000000000', 'XXXXXXXXXXXXXXXXX'])(
    'takes %s for a placeholder, although its digit may fit',
    (raw) => {
      expect(readVin(raw)).toEqual({ kind: 'placeholder' });
    },
  );
});
