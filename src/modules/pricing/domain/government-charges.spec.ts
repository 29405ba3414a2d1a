import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usd } from '../../../../test/fixtures/pricing/price-facts.js';
import type { Source } from '../../../kernel/schema/dap-common.js';
import type { GovernmentStatement } from './government-charges.js';
import { classifyGovernmentCharges } from './government-charges.js';

const sourceOf = (authority: Source['authority']): Source => ({
  source_name: 'somebody',
  authority,
  observed_at: '2026-11-30T06:00:00Z',
});
const line = (minor: number): NonNullable<GovernmentStatement['lines']>[number] => ({
  name: 'Sales tax',
  amount: usd(minor),
  payee: 'government',
});
const estimate: GovernmentStatement = {
  by: 'feed',
  status: 'estimated',
  lines: [line(210_000), line(7700)],
  total: usd(217_700),
  assumptions: ['Registration in Cook County.'],
  source: sourceOf('dealer_asserted'),
};
const calculation: GovernmentStatement = {
  ...estimate,
  by: 'calculation',
  status: 'calculated',
  source: sourceOf('government'),
};

const anyStatement: fc.Arbitrary<GovernmentStatement> = fc.record(
  {
    by: fc.constantFrom('feed' as const, 'calculation' as const),
    status: fc.constantFrom('unknown', 'estimated', 'calculated', 'not_applicable'),
    lines: fc.array(fc.nat(1_000_000).map(line), { maxLength: 3 }),
    total: fc.nat(3_000_000).map(usd),
    assumptions: fc.array(fc.constantFrom('', ' ', 'An assumption.'), { maxLength: 2 }),
    basis: fc.constantFrom('', ' ', 'Sold to a dealer.'),
    source: fc.constantFrom('government', 'dealer_asserted', 'authoritative_dealer_system', 'derived').map(sourceOf),
  },
  { requiredKeys: ['by'] },
);

describe('classifyGovernmentCharges', () => {
  it('takes silence for unknown, not for zero, and does not call it classified', () => {
    expect(classifyGovernmentCharges({ by: 'feed' })).toEqual({
      charges: { status: 'unknown' },
      classified: false,
      reason: expect.stringContaining('not stated') as string,
    });
  });

  it('takes a stated unknown as a classification', () => {
    expect(classifyGovernmentCharges({ by: 'feed', status: 'unknown' })).toMatchObject({
      charges: { status: 'unknown' },
      classified: true,
    });
  });

  it('shows nothing else of unknown charges, whatever came with them', () => {
    const { charges } = classifyGovernmentCharges({ ...estimate, status: 'unknown' });
    expect(charges).toEqual({ status: 'unknown' });
  });

  it('shows an estimate with its amounts, assumptions and source', () => {
    expect(classifyGovernmentCharges(estimate)).toEqual({
      classified: true,
      charges: {
        status: 'estimated',
        lines: estimate.lines,
        total: usd(217_700),
        assumptions: ['Registration in Cook County.'],
        provenance: { sources: [sourceOf('dealer_asserted')], authority_status: 'asserted' },
      },
    });
  });

  it('shows a calculation of an authority as authoritative', () => {
    const { charges } = classifyGovernmentCharges(calculation);
    expect(charges.status).toBe('calculated');
    expect(charges.provenance?.authority_status).toBe('authoritative');
  });

  it('shows that charges do not apply with the basis for it', () => {
    const { charges } = classifyGovernmentCharges({ by: 'feed', status: 'not_applicable', basis: 'Export sale.' });
    expect(charges).toEqual({ status: 'not_applicable', assumptions: ['Export sale.'] });
  });

  it.each<[string, GovernmentStatement, string]>([
    ['an estimate of a feed with nothing beside the word', { by: 'feed', status: 'estimated' }, 'a source'],
    ['an estimate without assumptions', { ...estimate, assumptions: [] }, 'assumptions'],
    ['an estimate with empty assumptions', { ...estimate, assumptions: ['  '] }, 'assumptions'],
    ['an estimate without amounts', { ...estimate, lines: [], total: undefined! }, 'amounts that add up'],
    ['an estimate that does not add up', { ...estimate, total: usd(217_701) }, 'amounts that add up'],
    [
      'an estimate in two currencies',
      { ...estimate, total: { amount_minor: 217_700, currency: 'CAD' } },
      'amounts that add up',
    ],
    ['a calculation by a feed', { ...calculation, by: 'feed' }, 'an authoritative calculation'],
    [
      'a calculation on nobody’s authority',
      { ...calculation, source: sourceOf('derived') },
      'an authoritative calculation',
    ],
    ['a word of a feed that they are calculated', { by: 'feed', status: 'calculated' }, 'an authoritative calculation'],
    ['a word of a feed that they do not apply', { by: 'feed', status: 'not_applicable' }, 'a basis'],
    ['an empty basis', { by: 'feed', status: 'not_applicable', basis: ' ' }, 'a basis'],
  ])('counts %s as unknown, and says why', (_, statement, lacking) => {
    expect(classifyGovernmentCharges(statement)).toEqual({
      charges: { status: 'unknown' },
      classified: false,
      reason: expect.stringContaining(`without ${lacking}`) as string,
    });
  });

  it('keeps every status to its proof, whatever is stated', () => {
    fc.assert(
      fc.property(anyStatement, (statement) => {
        const { charges, reason, classified } = classifyGovernmentCharges(statement);
        const { status, lines = [], total, assumptions = [] } = charges;
        expect(reason === undefined).toBe(status !== 'unknown');
        if (status === 'unknown') expect(charges).toEqual({ status: 'unknown' });
        else expect(classified).toBe(true);
        if (status === 'calculated') expect(statement.by).toBe('calculation');
        if (status === 'estimated' || status === 'calculated') {
          expect(lines.length > 0 || total !== undefined).toBe(true);
          expect(charges.provenance).toBeDefined();
        }
        if (status === 'estimated' || status === 'not_applicable')
          expect(assumptions.filter((a) => a.trim() !== '').length).toBeGreaterThan(0);
        if (total !== undefined && lines.length > 0)
          expect(lines.reduce((sum, l) => sum + l.amount.amount_minor, 0)).toBe(total.amount_minor);
      }),
    );
  });
});
