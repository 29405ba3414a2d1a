import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentCaller, Caller, Grant } from '../../../kernel/caller.js';
import type { AccessQuestion } from './decide-access.js';
import { decideAccess } from './decide-access.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');
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

const subset = (of: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...of]);
const ROOFTOPS = ['roof.1', 'roof.2', 'roof.3'];
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
const anyQuestion: fc.Arbitrary<Partial<AccessQuestion>> = fc.record({
  operation: fc.constantFrom(VERIFY, SEARCH, DEALER),
  endpointOrganizationId: fc.constantFrom('org.a', 'org.b'),
  namedOrganizationId: fc.constantFrom('org.a', 'org.b', undefined),
  namedRooftopIds: subset(ROOFTOPS),
  purpose: fc.constantFrom('display', 'comparison', 'shopping_assistance', undefined),
});
const rooftopIdsOf = (grant: Grant): readonly string[] => grant.rooftops.rooftopIds as readonly string[];
const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

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
        if (decision.allow) expect(decision.rooftops).toEqual(rooftopIdsOf(grant));
      }),
    );
  });
});
