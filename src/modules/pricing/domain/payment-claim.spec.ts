import { describe, expect, it } from 'vitest';
import { adjustmentRule, criterion, paysBy } from '../../../../test/fixtures/pricing/price-facts.js';
import type { EligibilityCriterion } from '../../../kernel/schema/dap-pricing.js';
import { claimsUnverified, contradicts } from './payment-claim.js';
import type { PaymentMode } from './price-facts.js';

const ruleOf = (criteria: EligibilityCriterion[], criteria_mode?: 'all' | 'any'): ReturnType<typeof adjustmentRule> =>
  adjustmentRule({ criteria, ...(criteria_mode === undefined ? {} : { criteria_mode }) });
const veteran = criterion();

describe('contradicts', () => {
  it.each<[string, EligibilityCriterion[], 'all' | 'any' | undefined, PaymentMode | undefined, boolean]>([
    ['a rule for financing, paid in cash', [paysBy('finance', 'equals')], undefined, 'cash', true],
    ['a rule for financing, financed', [paysBy('finance', 'equals')], undefined, 'finance', false],
    ['a rule for financing, nothing said', [paysBy('finance')], undefined, undefined, false],
    ['a rule for financing, unknown', [paysBy('finance')], undefined, 'unknown', false],
    ['a rule for finance or lease, leased', [paysBy(['finance', 'lease'])], undefined, 'lease', false],
    ['a rule for finance or lease, paid in cash', [paysBy(['finance', 'lease'])], undefined, 'cash', true],
    ['words in another case', [paysBy(' Finance ')], undefined, 'finance', false],
    ['a verified way of paying', [paysBy('finance', 'verified')], undefined, 'cash', true],
    ['any way of paying', [paysBy(true, 'present')], undefined, 'cash', false],
    ['any way of paying, whatever its value', [paysBy('finance', 'present')], undefined, 'cash', false],
    ['a way of paying that the protocol does not know', [paysBy('captive lender')], undefined, 'cash', false],
    ['a known and an unknown way', [paysBy(['finance', 'captive lender'])], undefined, 'cash', false],
    ['a rule about something else', [veteran], undefined, 'cash', false],
    ['a rule that also needs something else', [veteran, paysBy('finance')], 'all', 'cash', true],
    ['one of two alternatives', [veteran, paysBy('finance')], 'any', 'cash', false],
    ['all alternatives', [paysBy('lease'), paysBy('finance')], 'any', 'cash', true],
  ])('%s', (_, criteria, mode, paymentMode, expected) => {
    expect(contradicts(ruleOf(criteria, mode), paymentMode)).toBe(expected);
  });
});

describe('claimsUnverified', () => {
  it.each<[string, EligibilityCriterion[], 'all' | 'any' | undefined, PaymentMode | undefined, boolean]>([
    [
      'is the request that names the one way to be verified',
      [paysBy('finance', 'verified')],
      undefined,
      'finance',
      true,
    ],
    ['is not the request that names another way', [paysBy('finance', 'verified')], undefined, 'cash', false],
    ['is not the request that names none', [paysBy('finance', 'verified')], undefined, undefined, false],
    ['is not the request that says unknown', [paysBy('finance', 'verified')], undefined, 'unknown', false],
    ['is not the way of paying that needs no verification', [paysBy('finance', 'equals')], undefined, 'finance', false],
    [
      'is not a rule that also asks for what no request says',
      [paysBy('finance', 'verified'), veteran],
      'all',
      'finance',
      false,
    ],
    [
      'is the alternative that the way of paying alone meets',
      [paysBy('finance', 'verified'), veteran],
      'any',
      'finance',
      true,
    ],
    [
      'is not a rule with an alternative without verification',
      [paysBy('finance', 'verified'), paysBy('finance')],
      'any',
      'finance',
      false,
    ],
    [
      'is a rule of which one of two conditions is to be verified',
      [paysBy('finance', 'verified'), paysBy(['finance', 'lease'])],
      'all',
      'finance',
      true,
    ],
    ['is not verification of whatever way of paying', [paysBy(true, 'verified')], undefined, 'finance', false],
  ])('%s', (_, criteria, mode, paymentMode, expected) => {
    expect(claimsUnverified(ruleOf(criteria, mode), paymentMode)).toBe(expected);
  });
});
