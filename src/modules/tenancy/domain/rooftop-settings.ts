import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { closed, Currency, stringEnum } from '../../../kernel/schema/dap-common.js';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { AdjustmentRule } from '../../../kernel/schema/dap-pricing.js';
import { compileValidator } from '../../../kernel/schema/validator.js';

const Seconds = Type.Integer({ minimum: 1, maximum: 2_592_000 });

/** A word or header as it stands in feed files. */
const FileWord = Type.String({ maxLength: 200 });

/** What every buyer pays beside, or inside, the advertised price. */
export const RequiredCharge = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 160 }),
    amount: Type.Object({ amount_minor: Type.Integer({ minimum: 0 }), currency: Currency }, closed),
    payee: stringEnum(['dealer', 'dealer_vendor', 'other'] as const),
    included_in_advertised_price: Type.Boolean(),
  },
  closed,
);

export type RequiredCharge = Static<typeof RequiredCharge>;

/**
 * A system of the dealer that may answer for the current state of a unit. `credential` names a secret file of the
 * deployment: the secret itself is never in a setting. `authoritative` is dealer policy (DAP §4.3): without it the answers
 * count as asserted.
 */
const AvailabilitySource = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    // Plain http to this machine alone, and even there the egress guard must have been told.
    url: Type.String({ pattern: '^(?:https://|http://(?:127\\.0\\.0\\.1|localhost):)[^\\s]{1,1980}$' }),
    credential: Type.Optional(Type.String({ pattern: MINTED_ID_PATTERN })),
    authoritative: Type.Boolean(),
    valid_seconds: Type.Integer({ minimum: 1, maximum: 900 }),
    timeout_ms: Type.Integer({ minimum: 100, maximum: 10_000 }),
  },
  closed,
);

/**
 * What a rooftop decides about its answers. `freshness_sla_seconds`: how long an observation counts as current, for each
 * kind of fact. `required_charges`: what every buyer pays beside the advertised price; `unknown` is not `none`.
 * `condition_map` and `price_order`: how all feeds of the rooftop are read, where a feed does not say it itself: words of
 * the file for conditions, and price columns, the advertised price being in the first that has one.
 * `conditional_adjustments`: what some buyers get or pay beside the advertised price, for every unit of the rooftop.
 * `publish_inventory_age`: whether stock dates leave at all. `availability_source`: who answers for the current state.
 */
export const RooftopSettings = Type.Object(
  {
    freshness_sla_seconds: Type.Object({ inventory: Seconds, availability: Seconds, pricing: Seconds }, closed),
    required_charges: Type.Union([
      Type.Object({ status: Type.Literal('unknown') }, closed),
      Type.Object({ status: Type.Literal('none') }, closed),
      Type.Object(
        { status: Type.Literal('listed'), charges: Type.Array(RequiredCharge, { minItems: 1, maxItems: 50 }) },
        closed,
      ),
    ]),
    condition_map: Type.Optional(
      Type.Record(FileWord, stringEnum(['new', 'used', 'certified', 'demo'] as const), { maxProperties: 1000 }),
    ),
    conditional_adjustments: Type.Array(AdjustmentRule, { maxItems: 50 }),
    publish_inventory_age: Type.Boolean(),
    availability_source: Type.Optional(AvailabilitySource),
    price_order: Type.Optional(Type.Array(FileWord, { minItems: 1, maxItems: 20, uniqueItems: true })),
  },
  closed,
);
export type RooftopSettings = Static<typeof RooftopSettings>;

/** What a rooftop that decided nothing gets: a day for every kind of fact, charges that nobody stated, and no stock dates. */
export const DEFAULT_ROOFTOP_SETTINGS: RooftopSettings = {
  freshness_sla_seconds: { inventory: 86_400, availability: 86_400, pricing: 86_400 },
  required_charges: { status: 'unknown' },
  conditional_adjustments: [],
  publish_inventory_age: false,
};

const problemsOf = compileValidator(RooftopSettings);

/**
 * Reads stored settings, filling in what an older row lacks.
 * @throws Error when the stored value is not one: it was checked when it was written.
 */
export function readRooftopSettings(stored: unknown): RooftopSettings {
  const settings = { ...DEFAULT_ROOFTOP_SETTINGS, ...(stored as Partial<RooftopSettings> | null) };
  const problems = problemsOf(settings);
  if (problems.length > 0)
    throw new Error(
      `stored rooftop settings do not match their schema at ${problems.map((p) => p.pointer).join(', ')}`,
    );
  return settings;
}
