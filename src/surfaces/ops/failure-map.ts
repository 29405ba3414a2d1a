import type { FailureCode } from '../../kernel/failure/registry.js';

interface OpsCodeFacts {
  readonly status: number;
  /** `by cause`: only `internal`, from the registry's flag (decision record 0003). */
  readonly retryable: boolean | 'by cause';
  /** Hint that is sent although the code is not retryable, so that clients back off. */
  readonly backoffMs?: number;
}

/** The closed ops catalogue: code → HTTP status and retry advice. */
export const OPS_CODES = {
  unauthorized: { status: 401, retryable: false },
  forbidden_scope: { status: 403, retryable: false },
  forbidden_role: { status: 403, retryable: false },
  forbidden_ip: { status: 403, retryable: false },
  forbidden_plan: { status: 403, retryable: false },
  forbidden_model: { status: 403, retryable: false },
  invalid_input: { status: 400, retryable: false },
  invalid_request: { status: 400, retryable: false },
  body_too_large: { status: 413, retryable: false },
  pii_blocked: { status: 400, retryable: false },
  region_unavailable: { status: 403, retryable: false },
  rate_limited: { status: 429, retryable: true },
  budget_exceeded: { status: 402, retryable: false, backoffMs: 60_000 },
  insufficient_credits: { status: 402, retryable: false, backoffMs: 60_000 },
  dedupe_unavailable: { status: 503, retryable: true },
  provider_down: { status: 503, retryable: true },
  approval_denied: { status: 403, retryable: false },
  approval_pending: { status: 202, retryable: false, backoffMs: 5000 },
  unavailable: { status: 503, retryable: false },
  internal: { status: 500, retryable: 'by cause' },
} as const satisfies Record<string, OpsCodeFacts>;
export type OpsCode = keyof typeof OPS_CODES;

export const opsCodeFacts = (code: OpsCode): OpsCodeFacts => OPS_CODES[code];

/** Total: a failure code without a row here does not compile. */
export const OPS_FAILURE_MAP = {
  'input.invalid': 'invalid_input',
  'input.field_missing': 'invalid_input',
  'input.condition_vocabulary': 'invalid_input',
  'input.cursor_rejected': 'invalid_input',
  'input.unparsable': 'invalid_request',
  'input.too_large': 'body_too_large',
  'input.customer_data': 'pii_blocked',
  'input.precondition': 'invalid_input',
  'input.held': 'invalid_input',
  'protocol.revision_unsupported': 'invalid_request',
  'capability.unsupported': 'invalid_input',
  'route.unknown': 'invalid_input',
  'caller.unauthenticated': 'unauthorized',
  'caller.credential_invalid': 'unauthorized',
  'caller.role_forbidden': 'forbidden_role',
  'caller.network_forbidden': 'forbidden_ip',
  'grant.scope_insufficient': 'forbidden_scope',
  'grant.tenant_forbidden': 'forbidden_scope',
  'resource.not_found': 'invalid_input',
  'vehicle.not_found': 'invalid_input',
  'vehicle.ambiguous': 'invalid_input',
  'vehicle.unavailable': 'invalid_input',
  'vehicle.stale': 'provider_down',
  'pricing.incomplete': 'invalid_input',
  'pricing.eligibility_unverified': 'invalid_input',
  'state.conflict': 'rate_limited',
  'idempotency.mismatch': 'invalid_input',
  'idempotency.store_down': 'dedupe_unavailable',
  'limit.rate_exceeded': 'rate_limited',
  'limit.busy': 'rate_limited',
  'consent.required': 'invalid_input',
  'consent.invalid': 'invalid_input',
  'appointment.unavailable': 'invalid_input',
  'plan.forbidden': 'forbidden_plan',
  'model.forbidden': 'forbidden_model',
  'region.unavailable': 'region_unavailable',
  'budget.exceeded': 'budget_exceeded',
  'credits.insufficient': 'insufficient_credits',
  'approval.denied': 'approval_denied',
  'approval.pending': 'approval_pending',
  'feature.not_configured': 'unavailable',
  'upstream.unavailable': 'provider_down',
  'internal.unexpected': 'internal',
  'internal.output_invalid': 'internal',
} as const satisfies Record<FailureCode, OpsCode>;
