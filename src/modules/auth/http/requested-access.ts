import { Failure } from '../../../kernel/failure/failure.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { RequestedGrant } from '../app/issue-grant.js';
import type { RequestedDelegation } from '../app/record-delegation.js';
import type { DelegationDto, GrantDto } from './grant.dto.js';

/** @throws Failure `input.invalid` for both ways to name rooftops at once. */
export function requestedGrant(dto: GrantDto): RequestedGrant {
  const { subject, profiles, scopes, purposes, rooftop_ids: rooftopIds, delegation_id: delegationId } = dto;
  if (rooftopIds !== undefined && delegationId !== undefined) throw excess('/delegation_id');
  const rooftops = delegationId === undefined ? { rooftopIds: rooftopIds ?? [] } : { delegationId };
  return { subject, rooftops, profiles, scopes, purposes, expiresAt: Date.parse(dto.expires_at) };
}

/** @throws Failure `input.invalid` for listed rooftops of a delegation that covers all. */
export function requestedDelegation(dto: DelegationDto): RequestedDelegation {
  if (dto.covers === 'all' && dto.rooftop_ids !== undefined) throw excess('/rooftop_ids');
  const rooftops = dto.covers === 'all' ? 'all' : (dto.rooftop_ids ?? []);
  return { grantee: dto.grantee, rooftops, scopes: dto.scopes, expiresAt: Date.parse(dto.expires_at) };
}

/** The organization of who signed the request, and on whose behalf a change is made. */
export function changeBy(request: FastifyRequest): { readonly organizationId: string; readonly origin: ChangeOrigin } {
  return { organizationId: organizationOf(request), origin: originOf(request) };
}

const excess = (pointer: string): Failure =>
  new Failure('input.invalid', {
    violations: [{ pointer, keyword: 'not', explanation: 'names rooftops in a second way' }],
  });
