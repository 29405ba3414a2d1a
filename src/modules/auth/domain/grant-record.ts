import type { Grant } from '../../../kernel/caller.js';

/** A group-level delegation as it was recorded (DAP security profile §4). Times are milliseconds. */
export interface GroupDelegation {
  readonly delegationId: string;
  /** Who recorded it: a key id or the name of a command. */
  readonly issuer: string;
  /** The subject that may be granted by it. */
  readonly grantee: string;
  /** All rooftops of the organization, or exactly those of the moment of recording. */
  readonly rooftops: 'all' | readonly string[];
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  /** Null for a draft, which waits for approval. */
  readonly inForceAt: number | null;
}

/** What is approved of a delegation: everything that it says, and nothing that changes afterwards. */
export function delegationContent(organizationId: string, delegation: GroupDelegation): object {
  const { delegationId, issuer, grantee, rooftops, scopes, expiresAt } = delegation;
  return { organizationId, delegationId, issuer, grantee, rooftops, scopes, expiresAt };
}

/** One version of a grant as it is stored, with the delegation that it rests on, where it does. Times are milliseconds. */
export interface GrantRecord extends Omit<Grant, 'rooftops'> {
  /** Empty where the rooftops come from the delegation. */
  readonly rooftopIds: readonly string[];
  readonly delegation: GroupDelegation | null;
  readonly revokedAt: number | null;
}

/** The true reasons why a grant does not count. For the audit trail: outside they all look alike. */
export type GrantRefusal =
  | 'grant_revoked'
  | 'grant_expired'
  | 'delegation_not_in_force'
  | 'delegation_revoked'
  | 'delegation_expired'
  | 'delegation_of_other_subject';

/** Why a grant does not count now; undefined while it does. A revocation dated ahead waits for its time. */
export function refusalOfGrant(
  { subject, expiresAt, revokedAt, delegation }: GrantRecord,
  now: number,
): GrantRefusal | undefined {
  if (revokedAt !== null && revokedAt <= now) return 'grant_revoked';
  if (expiresAt <= now) return 'grant_expired';
  if (delegation === null) return undefined;
  if (delegation.grantee !== subject) return 'delegation_of_other_subject';
  if (delegation.inForceAt === null || delegation.inForceAt > now) return 'delegation_not_in_force';
  if (delegation.revokedAt !== null && delegation.revokedAt <= now) return 'delegation_revoked';
  return delegation.expiresAt <= now ? 'delegation_expired' : undefined;
}

/** What a grant amounts to: never more scopes and never longer than the delegation behind it. */
export function effectiveGrant({ rooftopIds, delegation, ...record }: GrantRecord): Grant {
  const { grantId, version, subject, organizationId, profiles, scopes, purposes, issuer, expiresAt } = record;
  const names = record.toolNames === undefined ? {} : { toolNames: record.toolNames };
  const grant = { grantId, version, subject, organizationId, profiles, scopes, purposes, issuer, expiresAt, ...names };
  if (delegation === null) return { ...grant, rooftops: { kind: 'listed', rooftopIds } };
  return {
    ...grant,
    rooftops: { kind: 'group', delegationId: delegation.delegationId, rooftopIds: delegation.rooftops },
    scopes: scopes.filter((scope) => delegation.scopes.includes(scope)),
    expiresAt: Math.min(expiresAt, delegation.expiresAt),
  };
}
