import type { Static, TSchema } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';

/**
 * Shared scalar and object types of the Dealer Agent Protocol, authored once and inlined wherever they are used, so that no
 * client has to resolve a reference. Every object is closed.
 */
export const closed = { additionalProperties: false } as const;

export const Identifier = Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$' });
export const Timestamp = Type.String({ format: 'date-time' });
export const Currency = Type.String({ pattern: '^[A-Z]{3}$' });
export const Uri = Type.String({ format: 'uri' });
export const TraceId = Type.String({ minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' });
export const Vin = Type.String({ pattern: '^[A-HJ-NPR-Z0-9]{17}$' });

/** A string enum as JSON Schema `enum`, the form clients read best. */
export function stringEnum<const T extends readonly string[]>(values: T): ReturnType<typeof Type.Unsafe<T[number]>> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
}

export const NonNegativeMoney = Type.Object(
  {
    amount_minor: Type.Integer({ minimum: 0, description: 'Exact amount in the minor unit of the currency.' }),
    currency: Currency,
  },
  closed,
);

export const Distance = Type.Object(
  { value: Type.Integer({ minimum: 0 }), unit: stringEnum(['mi', 'km'] as const) },
  closed,
);

export const Address = Type.Object(
  {
    lines: Type.Array(Type.String({ minLength: 1, maxLength: 160 }), { minItems: 1, maxItems: 5 }),
    locality: Type.String({ minLength: 1, maxLength: 128 }),
    region: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    postal_code: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
    country: Type.String({ pattern: '^[A-Z]{2}$' }),
  },
  closed,
);

export const SOURCE_AUTHORITIES = [
  'authoritative_dealer_system',
  'dealer_asserted',
  'oem',
  'government',
  'third_party',
  'derived',
  'unknown',
] as const;

export const Source = Type.Object(
  {
    source_name: Type.String({ minLength: 1, maxLength: 128 }),
    source_uri: Type.Optional(Uri),
    source_record_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    authority: stringEnum(SOURCE_AUTHORITIES),
    observed_at: Timestamp,
    content_digest: Type.Optional(Type.String({ pattern: '^sha256:[a-f0-9]{64}$' })),
  },
  closed,
);
export type Source = Static<typeof Source>;

export const Provenance = Type.Object(
  {
    sources: Type.Array(Source, { minItems: 1 }),
    authority_status: stringEnum(['authoritative', 'asserted', 'derived', 'unknown'] as const),
    transformed_at: Type.Optional(Timestamp),
    transformations: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 160 }), { maxItems: 32 })),
  },
  closed,
);
export type Provenance = Static<typeof Provenance>;

export const FRESHNESS_STATES = ['current', 'stale', 'unknown', 'withdrawn'] as const;
export type FreshnessState = (typeof FRESHNESS_STATES)[number];

export const Freshness = Type.Object(
  {
    observed_at: Timestamp,
    valid_until: Type.Optional(Timestamp),
    state: stringEnum(FRESHNESS_STATES),
    max_age_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_592_000 })),
  },
  closed,
);

/** Reverse-domain extension bag. Empty of anything but our own keys. */
export const ExtensionBag = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  propertyNames: { pattern: '^[a-z0-9]+(?:[.-][a-z0-9]+)+$' },
  additionalProperties: true,
});

export type JsonSchema = TSchema;
