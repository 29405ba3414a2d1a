import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentCaller, Caller, Grant } from '../../../kernel/caller.js';
import type { AccessQuestion } from './decide-access.js';
import { decideAccess, grantOpens, isOpenToAll, isShownToAll } from './decide-access.js';
import type { DealerPolicyDocument } from './dealer-policy.js';
import { PUBLISHABLE_PROFILES, REQUEST_PURPOSES } from './dealer-policy.js';
import type { DealerPolicy } from './policy-in-force.js';
import { BUILT_IN } from './policy-in-force.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const ROOFTOPS = ['roof.1', 'roof.2', 'roof.3'];
const ANYONE: Caller = { kind: 'anonymous', network: '203.0.113.7' };
const STAFF: Caller = { kind: 'key', keyId: 'k', organizationId: 'org.a', role: 'admin', network: 'n' };
const SYSTEM: Caller = { kind: 'system', name: 'worker' };
const VERIFY = {
  name: 'verify',
  access: 'granted',
  profile: 'dealeragent.inventory.availability/0.1',
  scopes: ['dealeragent:inventory:read'],
} as const;
const SEARCH = { ...VERIFY, name: 'search', access: 'public', profile: 'dealeragent.inventory.read/0.1' } as const;
const DEALER = { name: 'dealer', access: 'public', profile: 'dealeragent.discovery/0.1', scopes: [] } as const;

const GRANT: Grant = {
  grantId: 'grant.1',
  version: 3,
  subject: 'agent:buyer-assistant',
  organizationId: 'org.a',
  rooftops: { kind: 'listed', rooftopIds: ['roof.1', 'roof.2'] },
  profiles: [VERIFY.profile, SEARCH.profile],
  scopes: ['dealeragent:inventory:read'],
  purposes: ['vehicle_shopping'],
  issuer: 'key1',
  expiresAt: NOW + 1,
};
const agent = (changes: Partial<Grant> = {}): AgentCaller => {
  const grant = { ...GRANT, ...changes };
  return { kind: 'agent', subject: grant.subject, grant, network: 'n' };
};
const asked = (changes: Partial<AccessQuestion>): AccessQuestion => ({
  caller: agent(),
  operation: VERIFY,
  endpointOrganizationId: 'org.a',
  namedOrganizationId: 'org.a',
  namedRooftopIds: ['roof.1'],
  purpose: 'shopping_assistance',
  policy: BUILT_IN,
  rooftopIds: ROOFTOPS,
  now: NOW,
  ...changes,
});
const outcomeOf = (question: AccessQuestion): string => {
  const decision = decideAccess(question);
  return decision.allow ? 'allow' : `${decision.code} ${decision.reason}`;
};

const OTHERS = [
  { caller: ANYONE, operation: DEALER, endpoint: 'org.a', named: undefined, outcome: 'allow' },
  { caller: ANYONE, operation: SEARCH, endpoint: 'org.a', named: 'org.a', outcome: 'allow' },
  {
    caller: ANYONE,
    operation: SEARCH,
    endpoint: 'org.a',
    named: 'org.b',
    outcome: 'resource.not_found organization_not_of_this_endpoint',
  },
  ...['org.a', 'org.b'].map((named) => ({
    caller: ANYONE,
    operation: VERIFY,
    endpoint: 'org.a',
    named,
    outcome: 'caller.unauthenticated anonymous_on_protected_operation',
  })),
  { caller: STAFF, operation: VERIFY, endpoint: 'org.a', named: 'org.a', outcome: 'allow' },
  {
    caller: STAFF,
    operation: SEARCH,
    endpoint: 'org.b',
    named: 'org.b',
    outcome: 'resource.not_found key_of_other_organization',
  },
  {
    caller: STAFF,
    operation: SEARCH,
    endpoint: 'org.a',
    named: 'org.b',
    outcome: 'resource.not_found organization_not_of_this_endpoint',
  },
  { caller: SYSTEM, operation: VERIFY, endpoint: 'org.a', named: 'org.a', outcome: 'allow' },
  {
    caller: SYSTEM,
    operation: SEARCH,
    endpoint: 'org.a',
    named: 'org.b',
    outcome: 'resource.not_found organization_not_of_this_endpoint',
  },
] as const;

describe('The decision about a call', () => {
  it.each(OTHERS)(
    'for $caller.kind on $operation.name of $endpoint that names $named is: $outcome',
    ({ caller, operation, endpoint, named, outcome }) => {
      const question = asked({
        caller,
        operation,
        endpointOrganizationId: endpoint,
        namedOrganizationId: named,
        purpose: undefined,
      });
      expect(outcomeOf(question)).toBe(outcome);
      expect(decideAccess(question).policyVersion).toBe('built-in.1');
    },
  );
});

const FORBIDDEN = 'grant.tenant_forbidden rooftop_outside_grant';
const FOREIGN = 'grant.tenant_forbidden organization_outside_grant';
const SCOPE = 'grant.scope_insufficient';
const group = (rooftopIds: 'all' | string[]): Partial<Grant> => ({
  rooftops: { kind: 'group', delegationId: 'dlg.1', rooftopIds },
});

// The order matters: what comes first hides what would come after it.
const AGENTS: readonly [string, Partial<Grant>, Partial<AccessQuestion>, string][] = [
  ['asks within its grant', {}, {}, 'allow'],
  ['names no rooftop', {}, { namedRooftopIds: [] }, 'allow'],
  ['names all that it has', {}, { namedRooftopIds: ['roof.2', 'roof.1'] }, 'allow'],
  ['names one rooftop too many', {}, { namedRooftopIds: ['roof.1', 'roof.9'] }, FORBIDDEN],
  ['names a rooftop by a prefix', {}, { namedRooftopIds: ['roof.'] }, FORBIDDEN],
  [
    'has a grant without rooftops',
    { rooftops: { kind: 'listed', rooftopIds: [] } },
    { namedRooftopIds: [] },
    FORBIDDEN,
  ],
  ['names another organization', {}, { namedOrganizationId: 'org.b' }, FOREIGN],
  [
    'comes to the endpoint of another one',
    {},
    { endpointOrganizationId: 'org.b', namedOrganizationId: 'org.b' },
    FOREIGN,
  ],
  ['holds a delegation of all', group('all'), { namedRooftopIds: ['roof.9'] }, 'allow'],
  ['holds a delegation of some', group(['roof.9']), { namedRooftopIds: ['roof.9'] }, 'allow'],
  ['goes beyond its delegation', group(['roof.9']), { namedRooftopIds: ['roof.1'] }, FORBIDDEN],
  ['lacks the profile', { profiles: [SEARCH.profile] }, {}, `${SCOPE} profile_not_granted`],
  ['lacks the scope', { scopes: ['dealeragent:pricing:read'] }, {}, `${SCOPE} scope_not_granted`],
  ['lacks scope and rooftop', { scopes: [] }, { namedRooftopIds: ['roof.9'] }, FORBIDDEN],
  ['lacks the purpose', { purposes: ['display'] }, {}, `${SCOPE} purpose_not_granted`],
  ['has just this purpose', { purposes: ['comparison'] }, { purpose: 'comparison' }, 'allow'],
  ['says a purpose that shopping does not cover', {}, { purpose: 'training' }, `${SCOPE} purpose_not_granted`],
  ['asks what takes no purpose', { purposes: [] }, { operation: SEARCH, purpose: undefined }, 'allow'],
  ['asks what needs no scope', { profiles: [], scopes: [] }, { operation: DEALER, purpose: undefined }, 'allow'],
  ['reads published units without the scope', { scopes: [] }, { operation: SEARCH }, `${SCOPE} scope_not_granted`],
  ['has a grant that ended now', { expiresAt: NOW }, {}, 'caller.credential_invalid grant_expired'],
];

describe('An agent', () => {
  it.each(AGENTS)('that %s is answered as it should be', (_when, grant, question, outcome) => {
    expect(outcomeOf(asked({ caller: agent(grant), ...question }))).toBe(outcome);
  });

  it('is told which rooftops it reaches, and the record which version of the grant decided', () => {
    expect(decideAccess(asked({}))).toEqual({
      allow: true,
      rooftops: ['roof.1', 'roof.2'],
      policyVersion: 'built-in.1+grant.1@3',
    });
  });
});

const policyOf = (changes: Partial<DealerPolicyDocument>): DealerPolicy => ({
  version: 'policy.3',
  number: 3,
  document: { ...BUILT_IN.document, ...changes },
});
const PUBLIC_SEARCH = [SEARCH.profile];
const UNAUTHENTICATED = 'caller.unauthenticated';

const POLICIES: readonly [string, Partial<DealerPolicyDocument>, Partial<AccessQuestion>, string][] = [
  ['that leaves the profile public', { public_profiles: PUBLIC_SEARCH }, {}, 'allow'],
  ['that closes the profile', { public_profiles: [] }, {}, `${UNAUTHENTICATED} profile_not_public`],
  ['that closes everything', { public_profiles: [] }, { operation: DEALER }, 'allow'],
  [
    'that closes a rooftop which is named',
    { rooftops: { 'roof.1': { public_profiles: [] } } },
    {},
    `${UNAUTHENTICATED} profile_not_public_at_rooftop`,
  ],
  [
    'that closes one of two rooftops which are named',
    { rooftops: { 'roof.2': { public_profiles: [] } } },
    { namedRooftopIds: ['roof.1', 'roof.2'] },
    `${UNAUTHENTICATED} profile_not_public_at_rooftop`,
  ],
  ['that closes another rooftop', { rooftops: { 'roof.2': { public_profiles: [] } } }, {}, 'allow'],
  [
    'that closes a rooftop, when one is named that is not there',
    { rooftops: { 'roof.2': { public_profiles: [] } } },
    { namedRooftopIds: ['roof.9'] },
    'resource.not_found rooftop_unknown',
  ],
  [
    'that closes all rooftops, when none is named',
    { rooftops: Object.fromEntries(ROOFTOPS.map((id) => [id, { public_profiles: [] }])) },
    { namedRooftopIds: [] },
    `${UNAUTHENTICATED} profile_not_public_at_rooftop`,
  ],
];

describe('A policy', () => {
  it.each(POLICIES)('%s decides about anonymous callers', (_which, document, question, outcome) => {
    const policy = policyOf(document);
    expect(outcomeOf(asked({ caller: ANYONE, operation: SEARCH, purpose: undefined, policy, ...question }))).toBe(
      outcome,
    );
  });

  it('leaves anonymous callers the rooftops that it does not close', () => {
    const policy = policyOf({ rooftops: { 'roof.2': { public_profiles: [] } } });
    const question = asked({ caller: ANYONE, operation: SEARCH, namedRooftopIds: [], purpose: undefined, policy });
    expect(decideAccess(question)).toEqual({ allow: true, rooftops: ['roof.1', 'roof.3'], policyVersion: 'policy.3' });
  });

  it('that closes a profile leaves it to those who were granted it', () => {
    const policy = policyOf({ public_profiles: [] });
    expect(decideAccess(asked({ operation: SEARCH, policy }))).toMatchObject({
      allow: true,
      policyVersion: 'policy.3+grant.1@3',
    });
  });

  it.each([
    ['everywhere', { purposes: ['display'] }],
    ['at the rooftop', { rooftops: { 'roof.1': { purposes: ['display'] } } }],
  ] as const)('refuses a purpose that it does not allow %s, whatever was granted', (_where, document) => {
    const policy = policyOf(document);
    expect(outcomeOf(asked({ policy }))).toBe(`${SCOPE} purpose_not_allowed_by_policy`);
    expect(outcomeOf(asked({ policy, purpose: 'display' }))).toBe('allow');
    expect(outcomeOf(asked({ policy, caller: STAFF }))).toBe(`${SCOPE} purpose_not_allowed_by_policy`);
    expect(outcomeOf(asked({ policy, caller: SYSTEM }))).toBe('allow');
  });

  it('that does not allow a purpose at one rooftop leaves it out where none is named', () => {
    const policy = policyOf({ rooftops: { 'roof.2': { purposes: [] } } });
    expect(decideAccess(asked({ policy, namedRooftopIds: [] }))).toMatchObject({ allow: true, rooftops: ['roof.1'] });
    expect(outcomeOf(asked({ policy, namedRooftopIds: ['roof.1', 'roof.2'] }))).toBe(
      `${SCOPE} purpose_not_allowed_by_policy`,
    );
    const nowhere = policyOf({ rooftops: { 'roof.1': { purposes: [] }, 'roof.2': { purposes: [] } } });
    expect(outcomeOf(asked({ policy: nowhere, namedRooftopIds: [] }))).toBe(`${SCOPE} purpose_not_allowed_by_policy`);
  });
});

const subset = (of: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...of]);
const anyGrant: fc.Arbitrary<Grant> = fc
  .record({
    rooftopIds: subset(ROOFTOPS),
    profiles: subset([VERIFY.profile, SEARCH.profile]),
    scopes: subset(['dealeragent:inventory:read', 'dealeragent:pricing:read']),
    purposes: subset(['vehicle_shopping', 'display', 'comparison', 'shopping_assistance']),
    organizationId: fc.constantFrom('org.a', 'org.b'),
    expiresAt: fc.integer({ min: NOW - 2, max: NOW + 2 }),
  })
  .map(({ rooftopIds, ...rest }) => ({ ...GRANT, ...rest, rooftops: { kind: 'listed', rooftopIds } }));
const profiles = fc.subarray([...PUBLISHABLE_PROFILES]);
const purposes = fc.subarray([...REQUEST_PURPOSES]);
const anyPolicy: fc.Arbitrary<DealerPolicy> = fc
  .record({
    public_profiles: profiles,
    purposes,
    rooftops: fc.dictionary(
      fc.constantFrom(...ROOFTOPS),
      fc.record({ public_profiles: profiles, purposes }, { requiredKeys: [] }),
    ),
  })
  .map(policyOf);
const anyQuestion: fc.Arbitrary<Partial<AccessQuestion>> = fc.record({
  operation: fc.constantFrom(VERIFY, SEARCH, DEALER),
  endpointOrganizationId: fc.constantFrom('org.a', 'org.b'),
  namedOrganizationId: fc.constantFrom('org.a', 'org.b', undefined),
  namedRooftopIds: subset(ROOFTOPS),
  purpose: fc.constantFrom('display', 'comparison', 'shopping_assistance', undefined),
  policy: anyPolicy,
});
const rooftopIdsOf = (grant: Grant): readonly string[] => grant.rooftops.rooftopIds as readonly string[];
const common = <T>(a: readonly T[], b: readonly T[]): T[] => a.filter((value) => b.includes(value));
const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

/** Most random questions are refused, and a property about allowed ones passes over them. */
const SKIPS = { maxSkipsPerRun: 10_000 };

describe('Whatever is asked', () => {
  it('a grant of more never denies what one of less allowed', () => {
    fc.assert(
      fc.property(anyGrant, anyGrant, anyQuestion, (less, other, question) => {
        const more: Grant = {
          ...less,
          rooftops: { kind: 'listed', rooftopIds: union(rooftopIdsOf(less), rooftopIdsOf(other)) },
          profiles: union(less.profiles, other.profiles),
          scopes: union(less.scopes, other.scopes),
          purposes: union(less.purposes, other.purposes),
          expiresAt: Math.max(less.expiresAt, other.expiresAt),
        };
        fc.pre(decideAccess(asked({ ...question, caller: agent(less) })).allow);
        expect(decideAccess(asked({ ...question, caller: agent(more) })).allow).toBe(true);
      }),
      SKIPS,
    );
  });

  it('an ended grant, a foreign organization and an ungranted rooftop always deny', () => {
    fc.assert(
      fc.property(anyGrant, anyQuestion, (grant, changes) => {
        const question = asked({ ...changes, caller: agent(grant) });
        const { endpointOrganizationId, namedOrganizationId, namedRooftopIds } = question;
        const wrong =
          grant.expiresAt <= NOW ||
          grant.organizationId !== endpointOrganizationId ||
          (namedOrganizationId !== undefined && namedOrganizationId !== grant.organizationId) ||
          namedRooftopIds.some((id) => !rooftopIdsOf(grant).includes(id));
        if (wrong) expect(decideAccess(question).allow).toBe(false);
      }),
    );
  });

  it('what is allowed reaches only rooftops of the grant', () => {
    fc.assert(
      fc.property(anyGrant, anyQuestion, (grant, changes) => {
        const decision = decideAccess(asked({ ...changes, caller: agent(grant) }));
        if (!decision.allow) return;
        for (const id of decision.rooftops) expect(rooftopIdsOf(grant)).toContain(id);
      }),
    );
  });

  it('a stricter policy never allows more, and never reaches further', () => {
    const callers = fc.oneof(
      fc.constant(ANYONE),
      fc.constant(STAFF),
      anyGrant.map((grant) => agent(grant)),
    );
    fc.assert(
      fc.property(callers, anyPolicy, anyPolicy, anyQuestion, (caller, loose, other, changes) => {
        const strict = policyOf({
          public_profiles: common(loose.document.public_profiles, other.document.public_profiles),
          purposes: common(loose.document.purposes, other.document.purposes),
          rooftops: { ...other.document.rooftops, ...loose.document.rooftops },
        });
        const [under, before] = [strict, loose].map((policy) => decideAccess(asked({ ...changes, caller, policy })));
        if (!under?.allow) return;
        expect(before?.allow).toBe(true);
        if (before?.allow !== true || before.rooftops === 'all') return;
        for (const id of under.rooftops) expect(before.rooftops).toContain(id);
      }),
      { numRuns: 500 },
    );
  });

  it('a tool in the list of a grant is never refused for scope or profile, and one outside always is', () => {
    fc.assert(
      fc.property(anyGrant, fc.constantFrom(VERIFY, SEARCH, DEALER), anyPolicy, (grant, operation, policy) => {
        const open: Grant = { ...grant, organizationId: 'org.a', expiresAt: NOW + 1, rooftops: GRANT.rooftops };
        const question = asked({ caller: agent(open), operation, purpose: undefined, policy });
        expect(decideAccess(question).allow).toBe(grantOpens(open, operation));
      }),
    );
  });

  it('an anonymous call is challenged exactly where the list says that the tool is not open', () => {
    fc.assert(
      fc.property(fc.constantFrom(VERIFY, SEARCH, DEALER), anyPolicy, (operation, { document }) => {
        const policy = policyOf({ ...document, rooftops: {} });
        const question = asked({ caller: ANYONE, operation, purpose: undefined, policy });
        expect(decideAccess(question).allow).toBe(isOpenToAll(policy, operation));
      }),
    );
  });

  it('an anonymous call never reaches a rooftop that the policy closes, and is never answered about a part of what it names', () => {
    fc.assert(
      fc.property(anyQuestion, (changes) => {
        const question = asked({ ...changes, caller: ANYONE, operation: SEARCH });
        const decision = decideAccess(question);
        if (!decision.allow || decision.rooftops === 'all') return;
        for (const id of question.namedRooftopIds) expect(decision.rooftops).toContain(id);
        expect(decision.rooftops.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('What is shown to all', () => {
  const policy: DealerPolicy = {
    ...BUILT_IN,
    document: {
      ...BUILT_IN.document,
      public_profiles: [SEARCH.profile],
      rooftops: { 'roof.2': { public_profiles: [] }, 'roof.3': { withheld_fields: ['odometer'] } },
    },
  };
  const PRICE = { ...SEARCH, profile: 'dealeragent.pricing.disclosure/0.1' } as const;

  it.each([
    { operation: SEARCH, rooftops: ['roof.1', 'roof.3'], shown: true },
    { operation: SEARCH, rooftops: ['roof.1', 'roof.2'], shown: false },
    { operation: SEARCH, rooftops: 'all', shown: false },
    { operation: SEARCH, rooftops: [], shown: true },
    { operation: PRICE, rooftops: ['roof.1'], shown: false },
    { operation: VERIFY, rooftops: ['roof.1'], shown: false },
    { operation: DEALER, rooftops: 'all', shown: true },
  ] as const)('$operation.name of $rooftops: $shown', ({ operation, rooftops, shown }) => {
    expect(isShownToAll(policy, operation, rooftops)).toBe(shown);
  });

  it('is all that is open where no rooftop is stricter', () => {
    expect(isShownToAll(BUILT_IN, SEARCH, 'all')).toBe(true);
    expect(isShownToAll(BUILT_IN, VERIFY, 'all')).toBe(false);
  });
});
