import type { FailureCode } from '../../kernel/failure/registry.js';

/** The closed DAP error registry (DAP error contract §2): code → retryable. */
export const DAP_CODES = {
  'dealeragent.validation.invalid': false,
  'dealeragent.protocol.unsupported_revision': false,
  'dealeragent.capability.unsupported': false,
  'dealeragent.auth.required': false,
  'dealeragent.auth.invalid': false,
  'dealeragent.scope.insufficient': false,
  'dealeragent.tenant.forbidden': false,
  'dealeragent.resource.not_found': false,
  'dealeragent.vehicle.unavailable': false,
  'dealeragent.vehicle.stale': true,
  'dealeragent.pricing.incomplete': false,
  'dealeragent.pricing.eligibility_unverified': false,
  'dealeragent.state.conflict': true,
  'dealeragent.rate_limited': true,
  'dealeragent.upstream.unavailable': true,
  'dealeragent.internal': true,
} as const;
export type DapCode = keyof typeof DAP_CODES;

const invalid = 'dealeragent.validation.invalid';
const unsupported = 'dealeragent.capability.unsupported';
const notFound = 'dealeragent.resource.not_found';
const scope = 'dealeragent.scope.insufficient';

/** Total: a failure code without a row here does not compile. */
export const DAP_FAILURE_MAP = {
  'input.invalid': invalid,
  'input.field_missing': invalid,
  'input.condition_vocabulary': invalid,
  'input.cursor_rejected': invalid,
  'input.unparsable': invalid,
  'input.too_large': invalid,
  'input.customer_data': invalid,
  'input.precondition': 'dealeragent.state.conflict',
  'input.held': 'dealeragent.state.conflict',
  'protocol.revision_unsupported': 'dealeragent.protocol.unsupported_revision',
  'capability.unsupported': unsupported,
  'route.unknown': unsupported,
  'caller.unauthenticated': 'dealeragent.auth.required',
  'caller.credential_invalid': 'dealeragent.auth.invalid',
  'caller.role_forbidden': scope,
  'caller.network_forbidden': 'dealeragent.auth.invalid',
  'grant.scope_insufficient': scope,
  'grant.tenant_forbidden': 'dealeragent.tenant.forbidden',
  'resource.not_found': notFound,
  'vehicle.not_found': notFound,
  'vehicle.ambiguous': invalid,
  'vehicle.unavailable': 'dealeragent.vehicle.unavailable',
  'vehicle.stale': 'dealeragent.vehicle.stale',
  'pricing.incomplete': 'dealeragent.pricing.incomplete',
  'pricing.eligibility_unverified': 'dealeragent.pricing.eligibility_unverified',
  'state.conflict': 'dealeragent.state.conflict',
  'idempotency.mismatch': invalid,
  'idempotency.store_down': 'dealeragent.upstream.unavailable',
  'limit.rate_exceeded': 'dealeragent.rate_limited',
  'limit.busy': 'dealeragent.rate_limited',
  'consent.required': invalid,
  'consent.invalid': invalid,
  'appointment.unavailable': unsupported,
  'plan.forbidden': scope,
  'model.forbidden': scope,
  'region.unavailable': scope,
  'budget.exceeded': scope,
  'credits.insufficient': scope,
  'approval.denied': scope,
  'approval.pending': scope,
  'feature.not_configured': unsupported,
  'upstream.unavailable': 'dealeragent.upstream.unavailable',
  'internal.unexpected': 'dealeragent.internal',
  'internal.output_invalid': 'dealeragent.internal',
} as const satisfies Record<FailureCode, DapCode>;
