import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Grant } from '../kernel/caller.js';
import type { DealerDirectory, DealerGroup } from '../modules/tenancy/index.js';
import { BUILT_IN } from '../modules/tenancy/index.js';
import { conformanceStatement } from './documents/conformance-statement.js';
import type { AuthMode, GatewayFacts } from './documents/manifest-publisher.js';
import { ManifestPublisher } from './documents/manifest-publisher.js';
import { policyHtml } from './documents/policy-html.js';
import type { RetentionPolicyVersion } from '../modules/retention/index.js';
import { policyPage } from './documents/policy-page.js';
import { PublicLinks } from './documents/public-links.js';
import { compileValidator } from '../kernel/schema/validator.js';
import { Manifest } from './get-manifest.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const HOUR = 3_600_000;

const rooftop = (rooftopId: string, inventory: number): DealerGroup['rooftops'][number] => ({
  rooftopId,
  name: rooftopId,
  legalName: null,
  website: null,
  address: { lines: ['1 Main Street'], locality: 'Springfield', country: 'US' },
  timezone: 'America/Chicago',
  currency: 'USD',
  departments: ['sales'],
  contacts: [],
  hours: [],
  languages: [],
  settings: {
    freshness_sla_seconds: { inventory, availability: 120, pricing: 3600 },
    required_charges: { status: 'unknown' },
    conditional_adjustments: [],
    publish_inventory_age: false,
  },
  idSeed: new Uint8Array(16),
  updatedAt: NOW,
});
const GROUP: DealerGroup = {
  organizationId: 'org.a',
  name: 'Smith & Sons <Autos> "est. 1920"',
  legalName: null,
  website: null,
  updatedAt: NOW,
  policy: BUILT_IN,
  rooftops: [rooftop('roof.a', 900), rooftop('roof.b', 7200)],
};

/** A directory with one group, which may change. */
function publisherOf(state: { group: DealerGroup | undefined; authModes?: readonly AuthMode[] }): ManifestPublisher {
  const directory: DealerDirectory = {
    find: () => Promise.resolve(state.group),
    defaultOrganizationId: () => Promise.resolve(undefined),
    forget: () => undefined,
  };
  const profiles = [{ profile: 'dealeragent.discovery/0.1', tools: ['dealeragent.dealer.get'], scopes: [] }];
  const facts = (): GatewayFacts => ({
    gatewayId: 'gw',
    operatorName: 'Operator',
    profiles,
    authModes: state.authModes ?? ['public'],
  });
  return new ManifestPublisher(
    directory,
    facts,
    new PublicLinks('https://gw.example'),
    () => `sha256:${'0'.repeat(64)}`,
  );
}
const bodyOf = (published: { body: { plain: Buffer } } | undefined): unknown =>
  JSON.parse(published?.body.plain.toString('utf8') ?? 'null');

describe('The manifest', () => {
  it('is what its schema says, and names rooftops, targets and documents', async () => {
    const manifest = bodyOf(await publisherOf({ group: GROUP }).publish('org.a', NOW));
    expect(compileValidator(Manifest)(manifest)).toEqual([]);
    expect(manifest).toMatchObject({
      organization_ids: ['org.a'],
      rooftop_ids: ['roof.a', 'roof.b'],
      authority_policy: { inventory_max_age_seconds: 7200 },
      policy_uri: 'https://gw.example/organizations/org.a/policy',
      issued_at: '2026-11-30T12:00:00Z',
      expires_at: '2026-11-30T13:00:00Z',
    });
  });

  it('is one instance for its whole hour, and a new one in the moment it ends', async () => {
    const publisher = publisherOf({ group: GROUP });
    const first = await publisher.publish('org.a', NOW);
    expect(await publisher.publish('org.a', NOW + HOUR - 1)).toBe(first);
    expect(await publisher.publish('org.a', NOW + HOUR)).not.toBe(first);
  });

  it('is issued anew when the group or one of its rooftops changed', async () => {
    const state = { group: GROUP };
    const publisher = publisherOf(state);
    let before = await publisher.publish('org.a', NOW);
    const [a] = GROUP.rooftops;
    for (const group of [
      { ...GROUP, updatedAt: NOW + 1 },
      { ...GROUP, rooftops: [a!] },
      { ...GROUP, rooftops: [{ ...a!, updatedAt: NOW + 1 }] },
    ]) {
      state.group = group;
      const after = await publisher.publish('org.a', NOW + 1);
      expect(after).not.toBe(before);
      before = after;
    }
    state.group = { ...state.group };
    expect(await publisher.publish('org.a', NOW + 2)).toBe(before);
  });

  it('is issued anew when what the deployment or the group offers changed', async () => {
    const state: { group: DealerGroup; authModes: readonly AuthMode[] } = { group: GROUP, authModes: ['public'] };
    const publisher = publisherOf(state);
    const before = await publisher.publish('org.a', NOW);
    expect(bodyOf(before)).toMatchObject({ auth_modes: ['public'], resources: ['dealeragent://manifest'] });
    state.authModes = ['public', 'workload_identity'];
    expect(bodyOf(await publisher.publish('org.a', NOW + 1))).toMatchObject({ auth_modes: state.authModes });
  });

  it('is made for the holder of a grant: its rooftops, no longer than it lasts, and another one for another version', async () => {
    const grant: Grant = {
      grantId: 'grant.1',
      version: 1,
      subject: 'agent:a',
      organizationId: 'org.a',
      rooftops: { kind: 'listed', rooftopIds: ['roof.b', 'roof.gone'] },
      profiles: [],
      scopes: [],
      purposes: [],
      issuer: 'key1',
      expiresAt: NOW + 1000,
    };
    const publisher = publisherOf({ group: GROUP });
    const mine = await publisher.publish('org.a', NOW, grant);
    expect(bodyOf(mine)).toMatchObject({ rooftop_ids: ['roof.b'], expires_at: '2026-11-30T12:00:01Z' });
    expect(mine?.rooftopIds).toEqual(['roof.b']);
    expect(await publisher.publish('org.a', NOW + 1, grant)).toBe(mine);
    expect(await publisher.publish('org.a', NOW + 1, { ...grant, version: 2 })).not.toBe(mine);
    expect((await publisher.publish('org.a', NOW + 1))?.rooftopIds).toEqual(['roof.a', 'roof.b']);
    const gone = { ...grant, version: 3, rooftops: { kind: 'listed' as const, rooftopIds: ['roof.gone'] } };
    await expect(publisher.publish('org.a', NOW, gone)).rejects.toMatchObject({ code: 'grant.tenant_forbidden' });
  });

  it('is issued anew when another policy is in force', async () => {
    const state = { group: GROUP };
    const publisher = publisherOf(state);
    const before = await publisher.publish('org.a', NOW);
    state.group = { ...GROUP, policy: { ...BUILT_IN, version: 'policy.1', number: 1 } };
    expect(await publisher.publish('org.a', NOW + 1)).not.toBe(before);
  });

  it('is not there for an organization that is not, or has no rooftop', async () => {
    expect(await publisherOf({ group: undefined }).publish('org.a', NOW)).toBeUndefined();
    expect(await publisherOf({ group: { ...GROUP, rooftops: [] } }).publish('org.a', NOW)).toBeUndefined();
  });
});

describe('The policy page', () => {
  it('says of every statement whether it is enforced, and a ceiling for every category', () => {
    const page = policyPage(GROUP, [], undefined);
    expect(page).toMatchObject({ organization_id: 'org.a', version: '4' });
    expect(new Set(page.statements.map((s) => s.id)).size).toBe(page.statements.length);
    expect(page.retention.map((r) => r.category)).toContain('audit_event');
    expect(Object.keys(page.freshness_sla_seconds)).toEqual(['roof.a', 'roof.b']);
  });

  it('shows the ceilings of the active retention policy by its name, version and date, and no others', () => {
    const period = { count: 5, unit: 'years', plusDays: 90 } as const;
    const rule = {
      ruleId: 'a',
      category: 'audit_event',
      clock: 'created',
      action: 'delete',
      ground: '',
      citation: '',
    } as const;
    const ceiling = { count: 25, unit: 'months' } as const;
    const redacting = { ...rule, jurisdiction: '*', floor: null, ceiling, action: 'redact' } as const;
    const policy: RetentionPolicyVersion = {
      ...{
        policyId: 'retention.a',
        name: 'A <b>',
        version: 2,
        state: 'active' as const,
        contentHash: 'f'.repeat(64),
        activatedAt: NOW,
      },
      rules: [
        { ...rule, jurisdiction: '*', floor: null, ceiling: { count: 7, unit: 'years' } },
        { ...rule, ruleId: 'b', jurisdiction: 'US-TX', floor: period, ceiling: period },
        { ...redacting, ruleId: 'c' },
        { ...redacting, ruleId: 'd', category: 'access_history', clock: 'closed', action: 'anonymise' },
      ],
      rooftops: [
        {
          rooftopId: 'roof.a',
          category: 'audit_event',
          floor: null,
          ceiling: { count: 1, unit: 'months' },
          ground: '',
        },
      ],
    };
    const page = policyPage(GROUP, [], policy);
    expect(page.retention_policy).toEqual({
      ...{ policy_id: 'retention.a', name: 'A <b>', version: 2, content_hash: 'f'.repeat(64) },
      activated_at: '2026-11-30T12:00:00Z',
    });
    expect(page.retention.find((r) => r.category === 'audit_event')).toMatchObject({
      ceiling:
        '7 years after it was created; 5 years and 90 days after it was created (US-TX); who acted is redacted 25 months after it was created; 1 month after it was created (roof.a)',
      deletion: 'by runs that two people approve',
    });
    expect(page.retention.find((r) => r.category === 'access_history')).toMatchObject({
      ceiling: 'names are replaced by a mark 25 months after it was over',
      deletion: 'not deleted by age',
    });
    expect(page.retention.find((r) => r.category === 'feed_file')).toMatchObject({
      ceiling: 'none set',
      deletion: 'not deleted by age',
    });
    expect(policyHtml(page, GROUP.name)).toContain(
      'A &lt;b&gt; (retention.a), version 2, active since 2026-11-30T12:00:00Z',
    );
  });

  it('says that no retention policy is active, and promises no ceiling, while there is none', () => {
    const page = policyPage(GROUP, [], undefined);
    expect(page.retention_policy).toBeNull();
    expect(page.retention.filter((r) => r.deletion === 'by runs that two people approve')).toEqual([]);
    expect(page.statements.find((s) => s.id === 'retention')).toMatchObject({ enforced: false });
    expect(policyHtml(page, GROUP.name)).toContain('No retention policy is active.');
  });

  it('calls enforced what the group offers, and nothing else', () => {
    const enforced = (profiles: readonly string[]): unknown =>
      policyPage(GROUP, profiles, undefined).statements.find((s) => s.id === 'availability')?.enforced;
    expect(enforced(['dealeragent.inventory.availability/0.1'])).toBe(true);
    expect(enforced(['dealeragent.pricing.disclosure/0.1'])).toBe(false);
  });

  it('says how a disclosure is scored, in what order results stand, and what is withheld', () => {
    const page = policyPage(GROUP, [], undefined);
    const { parts, band } = page.completeness_formula;
    const best = parts.reduce((sum, part) => sum + part.points, 0) + Math.max(...Object.values(band.points));
    expect(best).toBe(100);
    expect(page.statements.map((s) => s.id)).toEqual(expect.arrayContaining(['order', 'withheld', 'authority']));
    expect(page.inventory_age_published).toEqual({ 'roof.a': false, 'roof.b': false });
  });

  it('names the policy in force, what it leaves public, and what its rooftops withhold', () => {
    expect(policyPage(GROUP, [], undefined).dealer_policy).toMatchObject({
      version: 'built-in.1',
      withheld_fields_at: {},
    });
    const rooftops = { 'roof.b': { withheld_fields: ['media' as const], public_profiles: [] } };
    const policy = { version: 'policy.2', number: 2, document: { ...BUILT_IN.document, rooftops } };
    expect(policyPage({ ...GROUP, policy }, [], undefined).dealer_policy).toEqual({
      version: 'policy.2',
      public_profiles: BUILT_IN.document.public_profiles,
      purposes: BUILT_IN.document.purposes,
      public_profiles_at: { 'roof.b': [] },
      withheld_fields_at: { 'roof.b': ['media'] },
    });
  });

  it('shows people the name of a group as text and not as markup', () => {
    const page = policyPage(GROUP, [], undefined);
    const html = policyHtml(page, GROUP.name);
    expect(html).toContain('Smith &amp; Sons &lt;Autos&gt; &quot;est. 1920&quot;');
    expect(html).not.toContain('<Autos>');
    for (const { id } of [...page.statements, { id: 'completeness' }, { id: 'ceilings' }])
      expect(html).toContain(`id="${id}"`);
  });
});

describe('The conformance statement', () => {
  it('claims nothing, and its digest is that of its bytes', () => {
    const { body, digest } = conformanceStatement('org.a', ['dealeragent.discovery/0.1']);
    expect(JSON.parse(body.plain.toString('utf8'))).toMatchObject({
      statement: 'experimental-no-core-claim',
      core_claim: false,
      core_profiles_missing: expect.arrayContaining(['dealeragent.inventory.availability/0.1']) as unknown,
    });
    expect(digest).toBe(`sha256:${createHash('sha256').update(body.plain).digest('hex')}`);
  });
});
