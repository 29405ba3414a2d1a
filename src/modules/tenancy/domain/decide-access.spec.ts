import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../kernel/caller.js';
import { decideAccess } from './decide-access.js';

const ANYONE: Caller = { kind: 'anonymous', network: '203.0.113.7' };
const STAFF: Caller = { kind: 'key', keyId: 'k', organizationId: 'org.a', role: 'admin', network: 'n' };
const SYSTEM: Caller = { kind: 'system', name: 'worker' };

const ROWS = [
  { caller: ANYONE, access: 'public', endpoint: 'org.a', named: undefined, outcome: 'allow' },
  { caller: ANYONE, access: 'public', endpoint: 'org.a', named: 'org.a', outcome: 'allow' },
  {
    caller: ANYONE,
    access: 'public',
    endpoint: 'org.a',
    named: 'org.b',
    outcome: 'resource.not_found organization_not_of_this_endpoint',
  },
  {
    caller: ANYONE,
    access: 'granted',
    endpoint: 'org.a',
    named: 'org.a',
    outcome: 'caller.unauthenticated anonymous_on_protected_operation',
  },
  {
    caller: ANYONE,
    access: 'granted',
    endpoint: 'org.a',
    named: 'org.b',
    outcome: 'resource.not_found organization_not_of_this_endpoint',
  },
  { caller: STAFF, access: 'public', endpoint: 'org.a', named: undefined, outcome: 'allow' },
  { caller: STAFF, access: 'granted', endpoint: 'org.a', named: 'org.a', outcome: 'allow' },
  {
    caller: STAFF,
    access: 'public',
    endpoint: 'org.b',
    named: 'org.b',
    outcome: 'resource.not_found key_of_other_organization',
  },
  {
    caller: STAFF,
    access: 'public',
    endpoint: 'org.a',
    named: 'org.b',
    outcome: 'resource.not_found organization_not_of_this_endpoint',
  },
  { caller: SYSTEM, access: 'granted', endpoint: 'org.a', named: 'org.a', outcome: 'allow' },
  {
    caller: SYSTEM,
    access: 'public',
    endpoint: 'org.a',
    named: 'org.b',
    outcome: 'resource.not_found organization_not_of_this_endpoint',
  },
] as const;

describe('The decision about a call', () => {
  it.each(ROWS)(
    'for $caller.kind on a $access operation of $endpoint that names $named is: $outcome',
    ({ caller, access, endpoint, named, outcome }) => {
      const decision = decideAccess({
        caller,
        operation: { name: 'x', access },
        endpointOrganizationId: endpoint,
        namedOrganizationId: named,
      });
      expect(decision.allow ? 'allow' : `${decision.code} ${decision.reason}`).toBe(outcome);
      expect(decision.policyVersion).toBe('built-in.1');
    },
  );
});
