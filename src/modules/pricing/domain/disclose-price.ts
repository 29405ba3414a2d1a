import { availabilityBand } from '../../../kernel/availability-band.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Provenance } from '../../../kernel/schema/dap-common.js';
import { rfc3339 } from '../../../kernel/time.js';
import { completenessOf } from './completeness.js';
import { disclosedRule, disclosedStatements, isFullyStated, rulesInQuestion } from './conditional-adjustments.js';
import { derivedId } from './derived-id.js';
import type { DisclosedAdjustment, PricingDisclosure } from './disclosure-schema.js';
import type { ClassifiedGovernmentCharges } from './government-charges.js';
import { classifyGovernmentCharges } from './government-charges.js';
import { claimsUnverified } from './payment-claim.js';
import type { DisclosureContext, PriceFacts } from './price-facts.js';
import { disclosedCharges } from './required-charges.js';
import { uncertaintyOf } from './uncertainty.js';

const DISCLOSURE_TEXT =
  'The advertised price is offered to everybody. Required dealer charges are paid by every buyer; each says whether the advertised price contains it. Conditional adjustments hold only for buyers who meet their criteria; none is applied here. Government charges are separate, and unknown is not zero. This is neither a quote nor an out-the-door total.';

/**
 * Discloses a price in four parts (DAP §4.5). Nothing is applied, added up or decided: the same facts, request and time
 * give the same answer.
 * @param now milliseconds.
 * @throws Failure `pricing.incomplete` when the parts are in several currencies; `pricing.eligibility_unverified` when the
 *   request claims an adjustment by its way of paying alone and the rule wants that verified.
 */
export function disclosePrice(facts: PriceFacts, context: DisclosureContext, now: number): PricingDisclosure {
  const rules = rulesInQuestion(facts.rules, context, now);
  const parts = fourParts(facts, rules);
  if (currenciesOf(parts).size > 1) throw new Failure('pricing.incomplete', { auditReason: 'currencies_disagree' });
  if (rules.some((rule) => claimsUnverified(rule, context.paymentMode)))
    throw new Failure('pricing.eligibility_unverified', { auditReason: 'payment_mode_unverified' });
  const { vehicleId, organizationId, rooftopId } = facts;
  const { government, ...shown } = parts;
  const identity = { vehicle_id: vehicleId, organization_id: organizationId, rooftop_id: rooftopId };
  const stated = { ...identity, ...shown, government_charges: government.charges };
  const provenance = provenanceOf(facts, shown.conditional_adjustments.length > facts.statedAdjustments.length);
  return {
    disclosure_id: derivedId('disclosure', [JSON.stringify(stated), rfc3339(oldestObservation(facts))]),
    ...stated,
    disclosure_completeness: completeness(facts, government, provenance, now),
    disclosure_text: DISCLOSURE_TEXT,
    uncertainty: uncertaintyOf(facts.charges.by !== 'nobody', shown.conditional_adjustments, government),
    provenance,
    freshness: freshnessOf(facts, now),
  };
}

interface Parts extends Pick<
  PricingDisclosure,
  'advertised_price' | 'required_dealer_charges' | 'conditional_adjustments'
> {
  readonly government: ClassifiedGovernmentCharges;
}

function fourParts(facts: PriceFacts, rules: PriceFacts['rules']): Parts {
  const row = asserted(facts.row);
  const rooftop = asserted(facts.settings);
  return {
    advertised_price: {
      amount: { ...facts.advertised },
      availability: 'generally_available',
      includes_required_dealer_charges: facts.includesCharges,
    },
    required_dealer_charges: [...disclosedCharges(facts, (by) => (by === 'row' ? row : rooftop))],
    conditional_adjustments: [
      ...disclosedStatements(facts.statedAdjustments, facts.vehicleId, row),
      ...rules.map((rule) => disclosedRule(rule, rooftop)),
    ],
    government: classifyGovernmentCharges(facts.government),
  };
}

/** Feeds and settings speak for their dealer and are never authoritative (DAP-CSV-001). */
function asserted(...sources: Provenance['sources']): Provenance {
  return { sources, authority_status: 'asserted' };
}

function provenanceOf(facts: PriceFacts, usesRules: boolean): Provenance {
  const { event, row, settings, charges } = facts;
  return asserted(
    ...(event === undefined ? [] : [event.source]),
    ...(eventAloneOf(facts) === undefined ? [row] : []),
    ...(usesRules || charges.by === 'rooftop' ? [settings] : []),
  );
}

/** The event that set the price, where nothing else in the answer is the row's word. */
function eventAloneOf({ event, charges, statedAdjustments, government }: PriceFacts): PriceFacts['event'] {
  const rowIsSilent = charges.by !== 'row' && statedAdjustments.length === 0 && government.status === undefined;
  return rowIsSilent ? event : undefined;
}

/** An answer is as old as the oldest observation in it (DAP-CORE-024): a newer price makes no older charges fresher. */
const oldestObservation = (facts: PriceFacts): number => eventAloneOf(facts)?.at ?? facts.observedAt;

function currenciesOf(parts: Parts): ReadonlySet<string> {
  const { lines = [], total } = parts.government.charges;
  const amountOf = (adjustment: DisclosedAdjustment): string[] =>
    adjustment.amount === undefined ? [] : [adjustment.amount.currency];
  return new Set([
    parts.advertised_price.amount.currency,
    ...parts.required_dealer_charges.map((charge) => charge.amount.currency),
    ...parts.conditional_adjustments.flatMap(amountOf),
    ...lines.map((line) => line.amount.currency),
    ...(total === undefined ? [] : [total.currency]),
  ]);
}

function completeness(
  facts: PriceFacts,
  government: ClassifiedGovernmentCharges,
  provenance: Provenance,
  now: number,
): PricingDisclosure['disclosure_completeness'] {
  const { observedAt, availability } = facts;
  const state = now <= availability.validUntil ? 'current' : 'stale';
  const authoritative = provenance.authority_status === 'authoritative';
  return completenessOf({
    advertised_price_present_and_authoritative: authoritative && freshnessOf(facts, now).state === 'current',
    required_dealer_charges_itemized: facts.charges.by !== 'nobody',
    conditional_adjustments_have_eligibility_and_stacking: facts.statedAdjustments.every(isFullyStated),
    government_charges_classified: government.classified,
    availability_band: availabilityBand(
      { observedAt, status: availability.status, authority: 'asserted', state, checked: false },
      now,
    ),
  });
}

/** Of its own observation and the rooftop's limit for prices: current up to its very end (DAP-CORE-024). */
function freshnessOf(facts: PriceFacts, now: number): PricingDisclosure['freshness'] {
  const { pricingSlaSeconds } = facts;
  const observedAt = oldestObservation(facts);
  const validUntil = observedAt + pricingSlaSeconds * 1000;
  return {
    observed_at: rfc3339(observedAt),
    valid_until: rfc3339(validUntil),
    state: now <= validUntil ? 'current' : 'stale',
    max_age_seconds: pricingSlaSeconds,
  };
}
