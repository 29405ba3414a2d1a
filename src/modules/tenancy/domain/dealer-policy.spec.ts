import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDealerPolicy } from './check-dealer-policy.js';
import type { DealerPolicyDocument } from './dealer-policy.js';
import {
  BUILT_IN_POLICY,
  PUBLISHABLE_PROFILES,
  REQUEST_PURPOSES,
  termsAt,
  WITHHOLDABLE_FIELDS,
} from './dealer-policy.js';
import { BUILT_IN, readDealerPolicy, servedSettings } from './policy-in-force.js';
import { DEFAULT_ROOFTOP_SETTINGS } from './rooftop-settings.js';

const ROOFTOPS = ['roof.a', 'roof.b'];
const problemsOf = (changes: object): string[] => {
  const checked = checkDealerPolicy({ ...BUILT_IN_POLICY, ...changes }, ROOFTOPS);
  return 'violations' in checked ? checked.violations.map((v) => `${v.pointer} ${v.keyword}`) : [];
};
const STRICT = {
  public_profiles: ['dealeragent.inventory.read/0.1'],
  withheld_fields: ['inventory_age'],
  vin_checksum: 'quarantine',
  price_conflict: 'quarantine',
  freshness_ceiling_seconds: { inventory: 60 },
  purposes: ['display'],
};

describe('A policy document', () => {
  it('is sound as it is built in', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it('is answered with everything that its schema does not allow', () => {
    const changes = {
      public_profiles: ['dealeragent.inventory.availability/0.1'],
      withheld_fields: ['vin', 'odometer', 'odometer'],
      purposes: undefined,
      freshness_ceiling_seconds: { inventory: 0, other: 1 },
      colour: 'blue',
    };
    const { purposes, ...rest } = changes;
    expect(purposes).toBeUndefined();
    const without: Partial<DealerPolicyDocument> = { ...BUILT_IN_POLICY, ...(rest as object) };
    delete without.purposes;
    const checked = checkDealerPolicy(without, ROOFTOPS);
    expect('violations' in checked ? checked.violations.map((v) => v.pointer).toSorted() : []).toEqual([
      '/colour',
      '/freshness_ceiling_seconds/inventory',
      '/freshness_ceiling_seconds/other',
      '/public_profiles/0',
      '/purposes',
      '/withheld_fields',
      '/withheld_fields/0',
    ]);
  });

  it('may be stricter at a rooftop in every member', () => {
    expect(problemsOf({ rooftops: { 'roof.a': STRICT } })).toEqual([]);
    expect(problemsOf({ ...STRICT, rooftops: { 'roof.b': { freshness_ceiling_seconds: { pricing: 1 } } } })).toEqual(
      [],
    );
  });

  it('is refused where a rooftop allows more, in every member at once', () => {
    const own = {
      public_profiles: ['dealeragent.pricing.disclosure/0.1'],
      withheld_fields: ['odometer'],
      vin_checksum: 'by_feed',
      price_conflict: 'by_format',
      freshness_ceiling_seconds: { inventory: 61 },
      purposes: ['comparison'],
    };
    expect(problemsOf({ ...STRICT, rooftops: { 'roof.a': own, 'roof.x': { purposes: [] } } })).toEqual([
      '/rooftops/roof.a/public_profiles const',
      '/rooftops/roof.a/withheld_fields const',
      '/rooftops/roof.a/vin_checksum const',
      '/rooftops/roof.a/price_conflict const',
      '/rooftops/roof.a/freshness_ceiling_seconds/inventory const',
      '/rooftops/roof.a/purposes const',
      '/rooftops/roof.x enum',
    ]);
  });
});

const seconds = fc.integer({ min: 1, max: 100_000 });
const members = {
  public_profiles: fc.subarray([...PUBLISHABLE_PROFILES]),
  withheld_fields: fc.subarray([...WITHHOLDABLE_FIELDS]),
  vin_checksum: fc.constantFrom('by_feed', 'quarantine'),
  price_conflict: fc.constantFrom('by_format', 'quarantine'),
  freshness_ceiling_seconds: fc.record(
    { inventory: seconds, availability: seconds, pricing: seconds },
    { requiredKeys: [] },
  ),
  purposes: fc.subarray([...REQUEST_PURPOSES]),
};
const anyDocument = fc
  .tuple(fc.record(members), fc.record(members, { requiredKeys: [] }))
  .map(([terms, own]) => ({ ...terms, rooftops: { 'roof.a': own } }));

describe('Terms at a rooftop', () => {
  it('are never looser than those of the organization, whatever the override says', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const terms = termsAt(document, 'roof.a');
        for (const profile of terms.public_profiles) expect(document.public_profiles).toContain(profile);
        for (const field of document.withheld_fields) expect(terms.withheld_fields).toContain(field);
        for (const purpose of terms.purposes) expect(document.purposes).toContain(purpose);
        if (document.vin_checksum === 'quarantine') expect(terms.vin_checksum).toBe('quarantine');
        for (const [fact, ceiling] of Object.entries(document.freshness_ceiling_seconds))
          expect(terms.freshness_ceiling_seconds[fact as 'inventory']).toBeLessThanOrEqual(ceiling);
      }),
    );
  });

  it('make settings stricter and never looser', () => {
    fc.assert(
      fc.property(anyDocument, fc.boolean(), seconds, (document, published, own) => {
        const settings = {
          ...DEFAULT_ROOFTOP_SETTINGS,
          publish_inventory_age: published,
          freshness_sla_seconds: { inventory: own, availability: own, pricing: own },
        };
        const served = servedSettings(settings, readDealerPolicy(4, document), 'roof.a');
        for (const target of Object.values(served.freshness_sla_seconds)) expect(target).toBeLessThanOrEqual(own);
        if (!published) expect(served.publish_inventory_age).toBe(false);
        if (termsAt(document, 'roof.a').withheld_fields.includes('inventory_age'))
          expect(served.publish_inventory_age).toBe(false);
      }),
    );
  });

  it('leave settings exactly as they are under the built-in policy', () => {
    expect(servedSettings(DEFAULT_ROOFTOP_SETTINGS, BUILT_IN, 'roof.a')).toEqual(DEFAULT_ROOFTOP_SETTINGS);
  });
});

describe('A stored policy', () => {
  it('is named by its number', () => {
    expect(readDealerPolicy(7, BUILT_IN_POLICY).version).toBe('policy.7');
  });

  it('is refused when it is none', () => {
    expect(() => readDealerPolicy(7, { ...BUILT_IN_POLICY, purposes: ['anything'] })).toThrow('stored policy 7');
  });
});
