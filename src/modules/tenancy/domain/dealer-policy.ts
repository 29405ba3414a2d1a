import type { Static, TSchema } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { closed, stringEnum } from '../../../kernel/schema/dap-common.js';

/** Profiles that an organization may show without a grant. Discovery always is; availability never is (DAP §6.1). */
export const PUBLISHABLE_PROFILES = [
  'dealeragent.inventory.read/0.1',
  'dealeragent.pricing.disclosure/0.1',
  'dealeragent.used-vehicle.read/0.1',
] as const;
export type PublishableProfile = (typeof PUBLISHABLE_PROFILES)[number];

/**
 * Fields that a policy may withhold: optional ones of the class `public_inventory`, so that an answer without them is still
 * what the protocol describes. What identifies a unit, its price, its source and its freshness cannot be withheld.
 */
export const WITHHOLDABLE_FIELDS = [
  'inventory_age',
  'odometer',
  'stock_number',
  'body_style',
  'exterior_color',
  'interior_color',
  'powertrain',
  'features',
  'media',
  'listing_url',
] as const;
export type WithheldField = (typeof WITHHOLDABLE_FIELDS)[number];

/** Purposes that a request can name (decision record 0023). */
export const REQUEST_PURPOSES = ['display', 'comparison', 'shopping_assistance'] as const;
export type RequestPurpose = (typeof REQUEST_PURPOSES)[number];

const Seconds = Type.Integer({ minimum: 1, maximum: 2_592_000 });
const listOf = (values: TSchema, minItems = 0): TSchema => Type.Array(values, { minItems, uniqueItems: true });

/**
 * What a policy decides. `public_profiles`: readable without a grant. `withheld_fields`: never leave, and nothing can be found
 * by them. `vin_checksum`: whether each feed says what a failed check digit does, or all of them quarantine the row.
 * `price_conflict`: whether the file's format says what a price above the list price means, or the row is quarantined.
 * `freshness_ceiling_seconds`: the longest that a rooftop's own target may count. `purposes`: what requests may ask for.
 */
const MEMBERS = {
  public_profiles: Type.Unsafe<readonly PublishableProfile[]>(listOf(stringEnum(PUBLISHABLE_PROFILES))),
  withheld_fields: Type.Unsafe<readonly WithheldField[]>(listOf(stringEnum(WITHHOLDABLE_FIELDS))),
  vin_checksum: stringEnum(['by_feed', 'quarantine'] as const),
  price_conflict: stringEnum(['by_format', 'quarantine'] as const),
  freshness_ceiling_seconds: Type.Object(
    { inventory: Type.Optional(Seconds), availability: Type.Optional(Seconds), pricing: Type.Optional(Seconds) },
    closed,
  ),
  purposes: Type.Unsafe<readonly RequestPurpose[]>(listOf(stringEnum(REQUEST_PURPOSES))),
};

const RooftopOverride = Type.Partial(Type.Object(MEMBERS, closed), { ...closed, minProperties: 1 });

/** The policy of an organization: what holds for all rooftops, and where one of them is stricter. */
export const DealerPolicyDocument = Type.Object(
  {
    ...MEMBERS,
    rooftops: Type.Record(Type.String({ pattern: MINTED_ID_PATTERN }), RooftopOverride, {
      additionalProperties: false,
      maxProperties: 1000,
    }),
  },
  closed,
);
export type DealerPolicyDocument = Static<typeof DealerPolicyDocument>;
export type RooftopOverride = Static<typeof RooftopOverride>;
/** What holds at one rooftop. */
export type PolicyTerms = Omit<DealerPolicyDocument, 'rooftops'>;

/** What holds for an organization that published no policy: published retail is open to all, everything else needs a grant. */
export const BUILT_IN_POLICY: DealerPolicyDocument = {
  public_profiles: PUBLISHABLE_PROFILES,
  withheld_fields: [],
  vin_checksum: 'by_feed',
  price_conflict: 'by_format',
  freshness_ceiling_seconds: {},
  purposes: REQUEST_PURPOSES,
  rooftops: {},
};

const NO_OVERRIDE: RooftopOverride = {};
const FACTS = ['inventory', 'availability', 'pricing'] as const;

/** The terms at a rooftop: the stricter of what the organization and the rooftop say, member by member. */
export function termsAt({ rooftops, ...terms }: DealerPolicyDocument, rooftopId: string): PolicyTerms {
  const own = Object.hasOwn(rooftops, rooftopId) ? (rooftops[rooftopId] ?? NO_OVERRIDE) : NO_OVERRIDE;
  return stricter(terms, own);
}

function stricter(terms: PolicyTerms, own: RooftopOverride): PolicyTerms {
  const kept = <T>(all: readonly T[], some: readonly T[] | undefined): readonly T[] =>
    some === undefined ? all : all.filter((value) => some.includes(value));
  return {
    public_profiles: kept(terms.public_profiles, own.public_profiles),
    withheld_fields: WITHHOLDABLE_FIELDS.filter(
      (field) => terms.withheld_fields.includes(field) || own.withheld_fields?.includes(field) === true,
    ),
    vin_checksum: own.vin_checksum === 'quarantine' ? 'quarantine' : terms.vin_checksum,
    price_conflict: own.price_conflict === 'quarantine' ? 'quarantine' : terms.price_conflict,
    freshness_ceiling_seconds: lowest(terms.freshness_ceiling_seconds, own.freshness_ceiling_seconds ?? {}),
    purposes: kept(terms.purposes, own.purposes),
  };
}

type Ceiling = PolicyTerms['freshness_ceiling_seconds'];

/** The lower of two ceilings for each kind of fact; one that says nothing sets none. */
function lowest(a: Ceiling, b: Ceiling): Ceiling {
  return Object.fromEntries(
    FACTS.flatMap((fact) => {
      const seconds = Math.min(a[fact] ?? Infinity, b[fact] ?? Infinity);
      return seconds === Infinity ? [] : [[fact, seconds]];
    }),
  );
}
