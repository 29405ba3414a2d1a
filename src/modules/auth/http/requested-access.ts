import { Failure } from '../../../kernel/failure/failure.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf, staffOf } from '../../../platform/http/staff-request.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { RequestedGrant } from '../app/issue-grant.js';
import type { KeyIssuer, RequestedKey } from '../app/issue-key.js';
import type { RequestedDelegation } from '../app/record-delegation.js';
import type { DelegationDto, GrantDto } from './grant.dto.js';
import type { CreateKeyDto, RotateKeyDto } from './key.dto.js';

/** @throws Failure `input.invalid` for both ways to name rooftops at once. */
export function requestedGrant(dto: GrantDto): RequestedGrant {
  const { subject, profiles, scopes, purposes, rooftop_ids: rooftopIds, delegation_id: delegationId } = dto;
  if (rooftopIds !== undefined && delegationId !== undefined) throw excess('/delegation_id');
  const rooftops = delegationId === undefined ? { rooftopIds: rooftopIds ?? [] } : { delegationId };
  const toolNames = dto.tool_names === undefined ? {} : { toolNames: dto.tool_names };
  return { subject, rooftops, profiles, scopes, purposes, expiresAt: Date.parse(dto.expires_at), ...toolNames };
}

/** @throws Failure `input.invalid` for listed rooftops of a delegation that covers all. */
export function requestedDelegation(dto: DelegationDto): RequestedDelegation {
  if (dto.covers === 'all' && dto.rooftop_ids !== undefined) throw excess('/rooftop_ids');
  const rooftops = dto.covers === 'all' ? 'all' : (dto.rooftop_ids ?? []);
  return { grantee: dto.grantee, rooftops, scopes: dto.scopes, expiresAt: Date.parse(dto.expires_at) };
}

export function requestedKey(dto: CreateKeyDto): RequestedKey {
  const { name, role, scopes = [], networks = [], grant_id: grantId, expires_at: end } = dto;
  return { name, role, scopes, networks, grantId, expiresAt: end === undefined ? null : Date.parse(end) };
}

/** What the request leaves out stays as it is. */
export function requestedRotation({ old_key_until: until, expires_at: end }: RotateKeyDto): {
  readonly oldKeyUntil: number | undefined;
  readonly expiresAt: number | undefined;
} {
  return {
    oldKeyUntil: until === undefined ? undefined : Date.parse(until),
    expiresAt: end === undefined ? undefined : Date.parse(end),
  };
}

/** Who issues a key, with the scopes of the key that asks for it, where a key asks. */
export function keyIssuerOf(request: FastifyRequest): KeyIssuer {
  const staff = staffOf(request);
  return { ...originOf(request), scopes: staff.kind === 'key' ? staff.scopes : undefined };
}

/** The organization of who signed the request, and on whose behalf a change is made. */
export function changeBy(request: FastifyRequest): { readonly organizationId: string; readonly origin: ChangeOrigin } {
  return { organizationId: organizationOf(request), origin: originOf(request) };
}

const excess = (pointer: string): Failure =>
  new Failure('input.invalid', {
    violations: [{ pointer, keyword: 'not', explanation: 'names rooftops in a second way' }],
  });
