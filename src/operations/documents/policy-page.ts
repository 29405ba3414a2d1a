import type { DealerGroup } from '../../modules/tenancy/index.js';
import { BUILT_IN_POLICY_VERSION } from '../../modules/tenancy/index.js';

/** One statement of the policy page: enforced today, or not yet. */
interface PolicyStatement {
  readonly id: string;
  readonly text: string;
  readonly enforced: boolean;
}

export interface PolicyPage {
  readonly policy_id: 'forecourt.published-retail';
  readonly version: string;
  readonly organization_id: string;
  readonly statements: readonly PolicyStatement[];
  readonly retention: readonly {
    readonly category: string;
    readonly ceiling: string;
    readonly deletion: 'not yet automatic';
  }[];
  readonly freshness_sla_seconds: Readonly<Record<string, unknown>>;
}

const STATEMENTS: readonly PolicyStatement[] = [
  {
    id: 'access',
    enforced: true,
    text: 'Published inventory and dealer information are readable without credentials. Any credential presented is checked; a bad one is refused and never treated as anonymous.',
  },
  {
    id: 'authority',
    enforced: true,
    text: 'Every published fact comes from a dealer feed and is marked dealer-asserted. A feed never makes a fact authoritative; human verification is required before acting on availability.',
  },
  {
    id: 'freshness',
    enforced: true,
    text: 'Freshness is computed when a record is read, from its own observation time and the target of its rooftop. A record past its target is stale and is never shown as current.',
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
    id: 'audit',
    enforced: true,
    text: 'Every tool call leaves one audit record before its answer is sent. The record holds no free text, no network address and no customer data.',
  },
  {
    id: 'limits',
    enforced: true,
    text: 'Calls are limited for each network address; a refused call says when to try again.',
  },
  { id: 'availability', enforced: false, text: 'Authoritative availability on request.' },
  { id: 'disclosure', enforced: false, text: 'Price disclosure in four parts with its completeness score.' },
  {
    id: 'retention',
    enforced: false,
    text: 'Automatic deletion at the ceilings below, and legal holds. Until then records are kept.',
  },
];

const RETENTION = [
  { category: 'audit_event', ceiling: '7 years' },
  { category: 'feed_file', ceiling: '90 days after it stopped being served' },
  { category: 'superseded_snapshot', ceiling: '30 days' },
  { category: 'quarantined_row', ceiling: '90 days' },
] as const;

/** The versioned policy of an organization: what is enforced today and what is not (security profile §6). */
export function policyPage(group: DealerGroup): PolicyPage {
  return {
    policy_id: 'forecourt.published-retail',
    version: BUILT_IN_POLICY_VERSION,
    organization_id: group.organizationId,
    statements: STATEMENTS,
    retention: RETENTION.map((r) => ({ ...r, deletion: 'not yet automatic' })),
    freshness_sla_seconds: Object.fromEntries(
      group.rooftops.map((r) => [r.rooftopId, r.settings.freshness_sla_seconds]),
    ),
  };
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The same page for people. */
export function policyHtml(group: DealerGroup): string {
  const page = policyPage(group);
  const rows = page.statements.map(
    (s) => `<h2 id="${s.id}">${s.id}${s.enforced ? '' : ' (not enforced yet)'}</h2><p>${escapeHtml(s.text)}</p>`,
  );
  const retention = page.retention.map(
    (r) => `<tr><td>${r.category}</td><td>${r.ceiling}</td><td>${r.deletion}</td></tr>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Policy of ${escapeHtml(group.name)}</title><h1>${escapeHtml(group.name)}: policy ${page.policy_id}, version ${page.version}</h1>${rows.join('')}<h2 id="ceilings">Retention ceilings</h2><table><tr><th>category</th><th>ceiling</th><th>deletion</th></tr>${retention.join('')}</table></html>`;
}
