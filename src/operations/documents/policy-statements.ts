/** One statement of the policy: enforced today, or not yet. */
export interface PolicyStatement {
  readonly id: string;
  readonly text: string;
  readonly enforced: boolean;
}

/** What holds for every organization, whatever it offers. */
export const COMMON_STATEMENTS: readonly PolicyStatement[] = [
  {
    id: 'access',
    enforced: true,
    text: 'Dealer information, and published inventory as far as the dealer’s policy makes it public, are readable without credentials; everything else needs a grant of this organization, and a purpose that the policy allows. Any credential presented is checked; a bad one is refused and never treated as anonymous.',
  },
  {
    id: 'authority',
    enforced: true,
    text: 'Every published fact comes from a dealer feed and is marked dealer-asserted. A feed never makes a fact authoritative; human verification is required before acting on availability.',
  },
  {
    id: 'freshness',
    enforced: true,
    text: 'Freshness is computed when a record is read, from its own observation time and the target of its rooftop. A record past its target is stale and is never shown as current. A change of the target makes nothing fresher: the observation time stays.',
  },
  {
    id: 'price',
    enforced: true,
    text: 'A unit without a usable advertised price is not published. List prices, conditional offers, cost, invoice, wholesale and book values are never shown as the advertised price.',
  },
  {
    id: 'charges',
    enforced: true,
    text: 'A price is said to include the required dealer charges only when the dealer has stated all of them and that they are included. Unknown charges are never counted as none.',
  },
  {
    id: 'order',
    enforced: true,
    text: 'Search results stand in the order of the sort key that was asked for, unknown keys last in both directions; ties, and searches without a sort, stand by rooftop id and then vehicle id. No unit is placed by payment or preference.',
  },
  {
    id: 'withheld',
    enforced: true,
    text: 'Withheld by default: days in stock and stock dates, unless the rooftop publishes them; what the dealer’s policy withholds, which cannot be searched, sorted or counted either; units that are sold, not for retail or without a price; cost, invoice, wholesale, holdback and book values, which are dropped when a file is read; descriptions, internal notes and contacts that are not marked public; links that are not https.',
  },
  {
    id: 'audit',
    enforced: true,
    text: 'Every tool call leaves one audit record before its answer is sent. The record holds no free text, no network address and no customer data.',
  },
  {
    id: 'limits',
    enforced: true,
    text: 'Calls are limited for each network address and for each agent; a refused call says when to try again.',
  },
];

/** @param active whether a retention policy is */
export const retentionStatement = (active: boolean): PolicyStatement => ({
  id: 'retention',
  enforced: active,
  text: active
    ? 'Records are deleted at the ceilings below, by runs that two people approve; what a legal hold covers stays.'
    : 'Retention ceilings: no retention policy is active, so nothing is deleted by age and no ceiling is promised.',
});

const OFFERED: Readonly<Record<string, Omit<PolicyStatement, 'enforced'>>> = {
  'dealeragent.inventory.availability/0.1': {
    id: 'availability',
    text: 'Authoritative availability, for granted callers: only a source that the dealer has named and called authoritative makes an answer authoritative, for as long as that answer says and never longer than fifteen minutes. A source that does not answer leaves the state unknown; the feed never takes its place.',
  },
  'dealeragent.pricing.disclosure/0.1': {
    id: 'disclosure',
    text: 'Price disclosure in four parts: advertised price, required dealer charges, conditional adjustments, government charges. What is unknown is called unknown; there is no total, no quote and no decision about eligibility.',
  },
};

/** What depends on the profiles that an organization offers; enforced exactly where they are. */
export function offeredStatements(profiles: readonly string[]): readonly PolicyStatement[] {
  return Object.entries(OFFERED).map(([profile, statement]) => ({
    ...statement,
    enforced: profiles.includes(profile),
  }));
}
