import type { Source } from '../../../kernel/schema/dap-common.js';
import { rfc3339 } from '../../../kernel/time.js';
import type { PublishedUnit } from '../../inventory/index.js';
import { eventSource, includesRequiredCharges, publicationPolicyOf, requiredChargesOf } from '../../inventory/index.js';
import { boundedText } from '../domain/bounded-text.js';
import type { ChargeStatement, PriceFacts } from '../domain/price-facts.js';

/**
 * What is known about the price of a published unit. What its row says of charges wins over what its rooftop says. A feed
 * gives no more than a word about government charges.
 */
export function priceFactsOf(organizationId: string, { facts, unit, rooftop, source }: PublishedUnit): PriceFacts {
  const { settings } = rooftop;
  const sla = settings.freshness_sla_seconds;
  const charges = requiredChargesOf(unit, publicationPolicyOf(settings).requiredCharges);
  return {
    organizationId,
    rooftopId: facts.rooftopId,
    vehicleId: facts.vehicleId,
    advertised: facts.price,
    includesCharges: includesRequiredCharges(charges),
    charges: statementOf(charges, unit.requiredCharges === undefined ? 'rooftop' : 'row'),
    statedAdjustments: unit.conditionalAdjustments,
    rules: settings.conditional_adjustments,
    government: {
      by: 'feed',
      ...(unit.governmentChargesStatus === undefined ? {} : { status: unit.governmentChargesStatus }),
    },
    availability: {
      status: facts.availability,
      validUntil: Math.min(facts.validUntil, facts.observedAt + sla.availability * 1000),
    },
    observedAt: facts.observedAt,
    pricingSlaSeconds: sla.pricing,
    ...pricedByEvent(facts.notes.pricedAt),
    row: rowSource(source, facts.observedAt),
    settings: {
      source_name: 'rooftop settings',
      authority: 'dealer_asserted',
      observed_at: rfc3339(rooftop.updatedAt),
    },
  };
}

function statementOf(charges: ReturnType<typeof requiredChargesOf>, by: 'row' | 'rooftop'): ChargeStatement {
  return charges === 'unknown' ? { by: 'nobody' } : { by, charges };
}

function pricedByEvent(at: number | undefined): Pick<PriceFacts, 'event'> {
  return at === undefined ? {} : { event: { source: eventSource(at), at } };
}

function rowSource({ feedName, sha256, line }: PublishedUnit['source'], observedAt: number): Source {
  return {
    source_name: boundedText(feedName, 128, 'feed'),
    source_record_id: `line:${line}`,
    authority: 'dealer_asserted',
    observed_at: rfc3339(observedAt),
    content_digest: `sha256:${sha256}`,
  };
}
