import type { DealerGroup, RooftopSettings } from '../../modules/tenancy/index.js';
import type { PublicLinks } from './public-links.js';

type ListedCharge = Extract<RooftopSettings['required_charges'], { status: 'listed' }>['charges'][number];

const SLA_SECONDS = { min: 60, max: 86_400 }; // bounds of the schema (DAP §3.3)

/**
 * `/.well-known/dealer-agent.json`: where a group's agents go, for those that know nothing but its address (DAP §3.3). Always
 * asserted, never verified (DAP-DISC-003).
 */
export function staticPublication(group: DealerGroup, links: PublicLinks): object {
  const { organizationId, rooftops } = group;
  return {
    dealer_agent_protocol: '0.1',
    organization_id: organizationId,
    rooftops: rooftops.map((r) => ({ rooftop_id: r.rooftopId, name: r.name })),
    gateway: links.mcp(organizationId),
    published_feed: {
      format: 'dealer-agent-inventory-csv/0.1',
      url: links.inventoryCsv(organizationId),
      freshness_sla_seconds: publishedSla(group),
      authority: 'asserted',
    },
    disclosure_defaults: {
      required_dealer_charges: commonCharges(group).map((charge) => ({
        label: charge.name,
        amount_minor: charge.amount.amount_minor,
        currency: charge.amount.currency,
        included_in_advertised_price: charge.included_in_advertised_price,
      })),
      government_charges: 'unknown',
    },
    handoff: { adf_endpoint: null, policy_url: null },
  };
}

/** The longest of the rooftops', within what the document may say: cut off it makes readers doubt sooner, never later. */
function publishedSla({ rooftops }: DealerGroup): number {
  const longest = Math.max(...rooftops.map((r) => r.settings.freshness_sla_seconds.inventory));
  return Math.min(SLA_SECONDS.max, Math.max(SLA_SECONDS.min, longest));
}

/** Charges that every rooftop lists alike. What differs, or nobody stated, is no default: the feed says it for each unit. */
function commonCharges({ rooftops }: DealerGroup): readonly ListedCharge[] {
  const lists = rooftops.map(({ settings }) =>
    settings.required_charges.status === 'listed' ? settings.required_charges.charges : [],
  );
  const [first = [], ...others] = lists;
  return first.filter((charge) => others.every((list) => list.some((other) => isSame(charge, other))));
}

const isSame = (a: ListedCharge, b: ListedCharge): boolean =>
  a.name === b.name &&
  a.payee === b.payee &&
  a.included_in_advertised_price === b.included_in_advertised_price &&
  a.amount.amount_minor === b.amount.amount_minor &&
  a.amount.currency === b.amount.currency;
