import { rfc3339 } from '../../../kernel/time.js';
import type { GrantRecord, GroupDelegation } from '../domain/grant-record.js';

/** A grant as the admin API shows it. */
export function grantView(grant: GrantRecord): object {
  return {
    grant_id: grant.grantId,
    version: grant.version,
    subject: grant.subject,
    ...(grant.delegation === null
      ? { rooftop_ids: grant.rooftopIds }
      : { delegation_id: grant.delegation.delegationId }),
    profiles: grant.profiles,
    scopes: grant.scopes,
    purposes: grant.purposes,
    ...(grant.toolNames === undefined ? {} : { tool_names: grant.toolNames }),
    issuer: grant.issuer,
    expires_at: rfc3339(grant.expiresAt),
    revoked_at: grant.revokedAt === null ? null : rfc3339(grant.revokedAt),
  };
}

/** A group delegation as the admin API shows it. */
export function delegationView(delegation: GroupDelegation): object {
  const { delegationId, grantee, rooftops, scopes, issuer, expiresAt, inForceAt, revokedAt } = delegation;
  return {
    delegation_id: delegationId,
    grantee,
    covers: rooftops === 'all' ? 'all' : 'listed',
    ...(rooftops === 'all' ? {} : { rooftop_ids: rooftops }),
    scopes,
    issuer,
    in_force_at: inForceAt === null ? null : rfc3339(inForceAt),
    expires_at: rfc3339(expiresAt),
    revoked_at: revokedAt === null ? null : rfc3339(revokedAt),
  };
}
