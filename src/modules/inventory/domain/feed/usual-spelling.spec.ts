import { describe, expect, it } from 'vitest';
import { usualMake, usualModel } from './usual-spelling.js';

describe('the usual spelling of makes and models', () => {
  it.each([
    ['TOYOTA', 'RAV4', 'Toyota', 'RAV4'],
    ['BMW', '330I', 'BMW', '330i'],
    ['GMC', 'SIERRA 1500', 'GMC', 'Sierra 1500'],
    ['MERCEDES-BENZ', 'GLC 300', 'Mercedes-Benz', 'GLC 300'],
    ['Toyota', 'CAMRY', 'Toyota', 'Camry'],
  ])('%s %s', (make, model, usual, usualM) => {
    expect([usualMake(make), usualModel(make, model)]).toEqual([usual, usualM]);
  });

  it('leaves what is unknown or not in capitals as it is', () => {
    expect([usualMake('ACME'), usualModel('ACME', 'ROADRUNNER'), usualMake('toyota')]).toEqual([
      'ACME',
      'ROADRUNNER',
      'toyota',
    ]);
    expect(usualModel('TOYOTA', 'CIVIC')).toBe('CIVIC');
  });
});
