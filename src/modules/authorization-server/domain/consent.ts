import type { StaffPerson } from '../../../kernel/ports/staff-sign-in.js';
import type { ProtectedResource } from '../../../kernel/ports/protected-resources.js';

/** The scope of staff at the admin API. What a person may do there is decided by their role, not by scopes. */
export const ADMIN_SCOPE = 'forecourt:admin';
/** The one client that may ask for tokens of staff: registered with the service, not by itself. */
export const STAFF_CLIENT = 'forecourt-cli';

export type ConsentRefusal = 'other_organization' | 'role_not_admin';

/** Scopes that a token for a resource may carry. */
export function scopesOf(resource: ProtectedResource): readonly string[] {
  return resource.kind === 'admin' ? [ADMIN_SCOPE] : resource.scopes;
}

/**
 * Whether a person may let a client in. For an organization only its own administrators speak; everybody of the staff may get a
 * token of their own for the admin API.
 */
export function consentRefusal(person: StaffPerson, resource: ProtectedResource): ConsentRefusal | undefined {
  if (resource.kind === 'admin') return undefined;
  if (person.organizationId !== resource.organizationId) return 'other_organization';
  return person.role === 'admin' ? undefined : 'role_not_admin';
}
