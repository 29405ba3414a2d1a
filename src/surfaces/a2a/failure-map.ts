import type { FailureCode } from '../../kernel/failure/registry.js';

/** The closed AAP 1.3 error registry: code → JSON-RPC code and retryable (AAP errors, «Error code reference»). */
export const AAP_CODES = {
  UNSUPPORTED_SKILL: { jsonRpc: -32601, retryable: false },
  SCHEMA_VALIDATION_FAILED: { jsonRpc: -32602, retryable: false },
  MISSING_REQUIRED_FIELD: { jsonRpc: -32602, retryable: false },
  INVALID_CONDITION: { jsonRpc: -32602, retryable: false },
  VEHICLE_NOT_FOUND: { jsonRpc: -32000, retryable: false },
  VEHICLE_UNAVAILABLE: { jsonRpc: -32000, retryable: false },
  CONTACT_CONSENT_REQUIRED: { jsonRpc: -32000, retryable: false },
  INVALID_CONSENT: { jsonRpc: -32000, retryable: false },
  APPOINTMENT_TIME_UNAVAILABLE: { jsonRpc: -32000, retryable: false },
  IDEMPOTENCY_CONFLICT: { jsonRpc: -32000, retryable: false },
  RATE_LIMITED: { jsonRpc: -32002, retryable: true },
  INTERNAL_ERROR: { jsonRpc: -32603, retryable: true },
} as const;
export type AapCode = keyof typeof AAP_CODES;

/**
 * Total: a failure code without a row here does not compile. AAP has no codes for identity; those failures end as HTTP
 * 401/403 before a payload exists, and their rows only say what an authenticated surface would answer inside one.
 */
export const AAP_FAILURE_MAP = {
  'input.invalid': 'SCHEMA_VALIDATION_FAILED',
  'input.field_missing': 'MISSING_REQUIRED_FIELD',
  'input.condition_vocabulary': 'INVALID_CONDITION',
  'input.cursor_rejected': 'SCHEMA_VALIDATION_FAILED',
  'input.unparsable': 'SCHEMA_VALIDATION_FAILED',
  'input.too_large': 'SCHEMA_VALIDATION_FAILED',
  'input.customer_data': 'SCHEMA_VALIDATION_FAILED',
  'input.precondition': 'IDEMPOTENCY_CONFLICT',
  'input.held': 'IDEMPOTENCY_CONFLICT',
  'protocol.revision_unsupported': 'UNSUPPORTED_SKILL',
  'capability.unsupported': 'UNSUPPORTED_SKILL',
  'route.unknown': 'UNSUPPORTED_SKILL',
  'caller.unauthenticated': 'UNSUPPORTED_SKILL',
  'caller.credential_invalid': 'UNSUPPORTED_SKILL',
  'caller.role_forbidden': 'UNSUPPORTED_SKILL',
  'caller.network_forbidden': 'UNSUPPORTED_SKILL',
  'grant.scope_insufficient': 'UNSUPPORTED_SKILL',
  'grant.tenant_forbidden': 'VEHICLE_NOT_FOUND',
  'resource.not_found': 'VEHICLE_NOT_FOUND',
  'vehicle.not_found': 'VEHICLE_NOT_FOUND',
  'vehicle.ambiguous': 'SCHEMA_VALIDATION_FAILED',
  'vehicle.unavailable': 'VEHICLE_UNAVAILABLE',
  'vehicle.stale': 'VEHICLE_UNAVAILABLE',
  'pricing.incomplete': 'VEHICLE_UNAVAILABLE',
  'pricing.eligibility_unverified': 'SCHEMA_VALIDATION_FAILED',
  'state.conflict': 'INTERNAL_ERROR',
  'idempotency.mismatch': 'IDEMPOTENCY_CONFLICT',
  'idempotency.store_down': 'INTERNAL_ERROR',
  'limit.rate_exceeded': 'RATE_LIMITED',
  'limit.busy': 'RATE_LIMITED',
  'consent.required': 'CONTACT_CONSENT_REQUIRED',
  'consent.invalid': 'INVALID_CONSENT',
  'appointment.unavailable': 'APPOINTMENT_TIME_UNAVAILABLE',
  'plan.forbidden': 'UNSUPPORTED_SKILL',
  'model.forbidden': 'UNSUPPORTED_SKILL',
  'region.unavailable': 'UNSUPPORTED_SKILL',
  'budget.exceeded': 'UNSUPPORTED_SKILL',
  'credits.insufficient': 'UNSUPPORTED_SKILL',
  'approval.denied': 'UNSUPPORTED_SKILL',
  'approval.pending': 'UNSUPPORTED_SKILL',
  'feature.not_configured': 'UNSUPPORTED_SKILL',
  'upstream.unavailable': 'INTERNAL_ERROR',
  'internal.unexpected': 'INTERNAL_ERROR',
  'internal.output_invalid': 'INTERNAL_ERROR',
} as const satisfies Record<FailureCode, AapCode>;
