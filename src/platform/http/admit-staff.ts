import type { StaffCaller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../kernel/ids.js';
import { scopesCover } from '../../kernel/key-scopes.js';
import type { RouteAccess } from './access.js';

/**
 * Whether staff may call a route: by their role, by whose staff they are, and by the scopes of their key where it has any. An
 * operator of the platform is nobody in an organization, and staff of an organization are nobody on the platform.
 * @throws Failure `caller.role_forbidden`, `grant.scope_insufficient`.
 */
export function admitStaff(caller: StaffCaller, access: RouteAccess & { kind: 'key' }, operation: string): void {
  if (!access.roles.includes(caller.role)) throw new Failure('caller.role_forbidden');
  const { of = 'organization' } = access;
  const side = caller.organizationId === PLATFORM_TENANT ? 'platform' : 'organization';
  if (of !== 'either' && of !== side) throw new Failure('caller.role_forbidden', { auditReason: `staff_of_${side}` });
  if (caller.kind === 'key' && !scopesCover(caller.scopes, operation))
    throw new Failure('grant.scope_insufficient', { auditReason: 'key_scope_missing' });
}
