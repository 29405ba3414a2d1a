import { RETENTION_CATEGORIES, type RetentionCategory } from '../../kernel/retention/retention-categories.js';
import { rfc3339 } from '../../kernel/time.js';
import {
  CATEGORY_CATALOGUE,
  type Period,
  type RetentionPolicyVersion,
  type RetentionRule,
} from '../../modules/retention/index.js';

/** The named policy that ceilings are of (DAP security profile §6). */
export interface PublishedPolicy {
  readonly policy_id: string;
  readonly name: string;
  readonly version: number;
  readonly content_hash: string;
  readonly activated_at: string;
}

/** What is kept of one kind, for how long at most, and how it goes. */
export interface CategoryCeiling {
  readonly category: string;
  readonly description: string;
  readonly ceiling: string;
  readonly deletion: string;
}

const NEVER_KEPT: readonly CategoryCeiling[] = [
  ['customer_data', 'Customer data in requests', 'none'],
  ['search_text', 'Words that are searched for', 'none'],
  ['network_address', 'Network addresses of callers', 'a minute in memory, for limits'],
].map(([category = '', description = '', ceiling = '']) => ({
  category,
  description,
  ceiling,
  deletion: 'nothing is kept',
}));

export function publishedPolicy(policy: RetentionPolicyVersion | undefined): PublishedPolicy | null {
  if (policy === undefined) return null;
  const { policyId, name, version, contentHash, activatedAt } = policy;
  return { policy_id: policyId, name, version, content_hash: contentHash, activated_at: rfc3339(activatedAt ?? 0) };
}

/** One line for each category, from the active version. Without one there are no ceilings, and the page says so. */
export function retentionCeilings(policy: RetentionPolicyVersion | undefined): readonly CategoryCeiling[] {
  return [
    ...NEVER_KEPT,
    ...(Object.keys(RETENTION_CATEGORIES) as RetentionCategory[]).map((category) => ceilingOf(category, policy)),
  ];
}

function ceilingOf(category: RetentionCategory, policy: RetentionPolicyVersion | undefined): CategoryCeiling {
  const line = { category, description: RETENTION_CATEGORIES[category] };
  const { isStored, clocks } = CATEGORY_CATALOGUE[category];
  if (isStored && clocks.length === 0) return { ...line, ceiling: 'none', deletion: 'kept as evidence' };
  const said = policy === undefined ? [] : ceilings(category, policy);
  const deletion = !isStored
    ? 'nothing is kept'
    : !deletes(category, policy)
      ? 'not deleted by age'
      : 'by runs that two people approve';
  return { ...line, ceiling: said.length === 0 ? 'none set' : said.join('; '), deletion };
}

/** Whether anything of the category is deleted by its age. */
function deletes(category: RetentionCategory, policy: RetentionPolicyVersion | undefined): boolean {
  const ending = policy?.rules.filter((rule) => rule.category === category && rule.action === 'delete') ?? [];
  const tighter = policy?.rooftops.filter((own) => own.category === category) ?? [];
  return ending.length > 0 && [...ending, ...tighter].some(({ ceiling }) => ceiling !== null);
}

function ceilings(category: RetentionCategory, { rules, rooftops }: RetentionPolicyVersion): readonly string[] {
  const own = rules.filter((rule) => rule.category === category);
  const everywhere = own.flatMap((rule) =>
    rule.ceiling === null ? [] : [`${prefixOf(rule)}${words(rule.ceiling)} ${countedFrom(rule)}`],
  );
  const clock = own[0];
  const tighter = rooftops.flatMap(({ rooftopId, category: of, ceiling }) =>
    of === category && ceiling !== null && clock !== undefined
      ? [`${words(ceiling)} ${countedFrom({ ...clock, jurisdiction: rooftopId })}`]
      : [],
  );
  return [...everywhere, ...tighter];
}

/** What is not deleted at its ceiling says so. */
const ACTIONS: Readonly<Record<RetentionRule['action'], string>> = {
  delete: '',
  redact: 'who acted is redacted ',
  anonymise: 'names are replaced by a mark ',
  shred: 'its key is destroyed ',
};
const prefixOf = ({ action }: Pick<RetentionRule, 'action'>): string => ACTIONS[action];

const CLOCKS: Readonly<Record<RetentionRule['clock'], string>> = {
  created: 'after it was created',
  last_used: 'after its last use',
  closed: 'after it was over',
  last_contact: 'after the last contact',
};

const countedFrom = ({ clock, jurisdiction }: Pick<RetentionRule, 'clock' | 'jurisdiction'>): string =>
  jurisdiction === '*' ? CLOCKS[clock] : `${CLOCKS[clock]} (${jurisdiction})`;

function words({ count, unit, plusDays }: Period): string {
  const whole = `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
  return plusDays === undefined ? whole : `${whole} and ${plusDays} ${plusDays === 1 ? 'day' : 'days'}`;
}
