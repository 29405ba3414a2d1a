import { describe, expect, it } from 'vitest';
import { readDistance, unitNamed } from './read-distance.js';

describe('reading an odometer', () => {
  it.each([
    ['18420', { kind: 'distance', value: 18420 }],
    ['52,777 miles', { kind: 'distance', value: 52777, unit: 'mi' }],
    ['84,500 km', { kind: 'distance', value: 84500, unit: 'km' }],
    ['85 000', { kind: 'distance', value: 85000 }],
    ['9 Mi.', { kind: 'distance', value: 9, unit: 'mi' }],
    ['0', { kind: 'distance', value: 0 }],
  ])('%j', (text, reading) => {
    expect(readDistance(text, 'decimal_point')).toEqual(reading);
  });

  it.each(['TMU', 'EXEMPT', 'exempt', 'N/A', '-'])('%s is unknown and not zero', (text) => {
    expect(readDistance(text, 'decimal_point')).toEqual({ kind: 'unknown', stated: true });
  });

  it.each(['-12', '12.5', '12 leagues', '1,23', '99999999', 'many'])('%s is invalid', (text) => {
    expect(readDistance(text, 'decimal_point')).toEqual({ kind: 'invalid' });
  });

  it('knows units by their names and takes no other word for one', () => {
    expect([unitNamed('MI'), unitNamed('Kilometres'), unitNamed(' '), unitNamed('constructor')]).toEqual([
      'mi',
      'km',
      undefined,
      'invalid',
    ]);
  });
});
