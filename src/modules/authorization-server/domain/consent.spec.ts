import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KEY_ROLES } from '../../../kernel/caller.js';
import { consentRefusal } from './consent.js';

const role = fc.constantFrom(...KEY_ROLES);
const organization = fc.constantFrom('org.north', 'org.south');

it('lets only administrators of the very organization open an endpoint of it', () => {
  fc.assert(
    fc.property(role, organization, organization, (role, mine, theirs) => {
      const person = { personId: 'p', organizationId: mine, name: 'P', role };
      const resource = { uri: 'u', organizationId: theirs, kind: 'mcp', scopes: [] } as const;
      expect(consentRefusal(person, resource) === undefined).toBe(role === 'admin' && mine === theirs);
    }),
  );
});

it('lets everybody of the staff get a token of their own', () => {
  fc.assert(
    fc.property(role, organization, (role, organizationId) => {
      const admin = { uri: 'u', organizationId: undefined, kind: 'admin', scopes: [] } as const;
      expect(consentRefusal({ personId: 'p', organizationId, name: 'P', role }, admin)).toBeUndefined();
    }),
  );
});
