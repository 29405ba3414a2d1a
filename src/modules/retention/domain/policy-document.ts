import { RETENTION_ACTIONS } from '../../../kernel/retention/category-cutoffs.js';
import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import {
  CLOCK_BASES,
  RETENTION_CATEGORIES,
  type RetentionCategory,
} from '../../../kernel/retention/retention-categories.js';
import { closed, stringEnum } from '../../../kernel/schema/dap-common.js';
import { PERIOD_UNITS, type Period, type RetentionRule, type RooftopTightening } from './retention-policy.js';

const Id = Type.String({ pattern: MINTED_ID_PATTERN });
const Words = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' });
const Category = stringEnum(Object.keys(RETENTION_CATEGORIES) as RetentionCategory[]);

export const PeriodDocument = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: 36_525 }),
    unit: stringEnum(PERIOD_UNITS),
    plus_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3660 })),
  },
  closed,
);
export type PeriodDocument = Static<typeof PeriodDocument>;
const PeriodOrNone = Type.Union([PeriodDocument, Type.Null()]);

/** `as_of`: when the citation was last read. `counsel`: whether a lawyer has confirmed the rule for this group. */
export const RuleDocument = Type.Object(
  {
    rule_id: Id,
    category: Category,
    jurisdiction: Type.String({ pattern: '^(\\*|[A-Z]{2}(-[A-Z0-9]{1,3})?)$' }),
    clock: stringEnum(CLOCK_BASES),
    floor: PeriodOrNone,
    ceiling: PeriodOrNone,
    action: stringEnum(RETENTION_ACTIONS),
    ground: Words,
    citation: Words,
    as_of: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
    counsel: Type.Optional(stringEnum(['to_confirm', 'confirmed'] as const)),
  },
  closed,
);
export type RuleDocument = Static<typeof RuleDocument>;

const TighteningDocument = Type.Object(
  { rooftop_id: Id, category: Category, floor: PeriodOrNone, ceiling: PeriodOrNone, ground: Words },
  closed,
);
type TighteningDocument = Static<typeof TighteningDocument>;

/** What a retention policy says, as it is drafted, kept, hashed and shown. */
export const RetentionPolicyDocument = Type.Object(
  { rules: Type.Array(RuleDocument, { maxItems: 500 }), rooftops: Type.Array(TighteningDocument, { maxItems: 2000 }) },
  closed,
);
export type RetentionPolicyDocument = Static<typeof RetentionPolicyDocument>;

/** The rules of a document in the words of the decision. */
export const rulesOf = ({ rules }: RetentionPolicyDocument): readonly RetentionRule[] =>
  rules.map(({ rule_id: ruleId, category, jurisdiction, clock, floor, ceiling, action, ground, citation }) => ({
    ...{ ruleId, category, jurisdiction, clock, action, ground, citation },
    floor: periodOf(floor),
    ceiling: periodOf(ceiling),
  }));

export const tighteningsOf = ({ rooftops }: RetentionPolicyDocument): readonly RooftopTightening[] =>
  rooftops.map(({ rooftop_id: rooftopId, category, floor, ceiling, ground }: TighteningDocument) => ({
    ...{ rooftopId, category, ground },
    floor: periodOf(floor),
    ceiling: periodOf(ceiling),
  }));

function periodOf(period: PeriodDocument | null): Period | null {
  if (period === null) return null;
  const { count, unit, plus_days: plusDays } = period;
  return plusDays === undefined ? { count, unit } : { count, unit, plusDays };
}
