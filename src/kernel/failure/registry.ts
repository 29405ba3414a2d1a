/**
 * The closed registry of everything that can go wrong, in our own words. Each surface holds a total map from these codes
 * to its wire codes (`satisfies Record<FailureCode, …>`), so a code without a row in DAP, AAP or ops does not compile.
 *
 * `message` is safe to show anyone: no input, no identifier, no internals; at most 500 characters (DAP error contract §1).
 * `details` names what a Failure of this code may carry. `opsRetryable` exists for the one ops code whose retry advice
 * differs by cause (decision record 0003); everywhere else `retryable` follows from the wire code.
 */
interface FailureEntry {
  readonly message: string;
  readonly details: 'none' | 'violations' | 'reason' | 'freshness' | 'revisions' | 'approval';
  readonly opsRetryable?: boolean;
}

const registry = {
  'input.invalid': {
    message: 'The request does not match its schema. Every violation is listed in the details.',
    details: 'violations',
  },
  'input.field_missing': { message: 'A required field is missing. The details name it.', details: 'violations' },
  'input.condition_vocabulary': {
    message: 'A condition value comes from the wrong vocabulary for its place.',
    details: 'violations',
  },
  'input.cursor_rejected': {
    message: 'The cursor is not valid for this request. Start again without a cursor.',
    details: 'violations',
  },
  'input.unparsable': {
    message: 'The request body could not be parsed. Send valid JSON in UTF-8 with the right Content-Type.',
    details: 'reason',
  },
  'input.too_large': { message: 'The request body is larger than this endpoint accepts.', details: 'none' },
  'input.customer_data': {
    message: 'The request carries customer data, which this operation does not accept.',
    details: 'violations',
  },
  'input.precondition': { message: 'A precondition of this change is missing or no longer holds.', details: 'reason' },
  'input.held': { message: 'The record is under a legal hold and cannot be changed.', details: 'reason' },
  'protocol.revision_unsupported': {
    message: 'The requested protocol revision is not served. The details list those that are.',
    details: 'revisions',
  },
  'capability.unsupported': {
    message: 'This gateway does not offer the requested capability. The manifest lists what it offers.',
    details: 'none',
  },
  'route.unknown': { message: 'There is no such route or operation.', details: 'reason' },
  'caller.unauthenticated': { message: 'This operation needs an authenticated caller.', details: 'none' },
  'caller.credential_invalid': { message: 'The presented credential is not valid.', details: 'none' },
  'caller.role_forbidden': {
    message: 'The role of this credential does not permit the operation.',
    details: 'reason',
  },
  'caller.network_forbidden': { message: 'This credential may not be used from the calling network.', details: 'none' },
  'grant.scope_insufficient': {
    message: 'The grant does not include the scope or profile that this operation needs.',
    details: 'none',
  },
  'grant.tenant_forbidden': {
    message: 'The request names an organization or rooftop outside the grant.',
    details: 'none',
  },
  'resource.not_found': { message: 'No such published resource.', details: 'reason' },
  'vehicle.not_found': { message: 'No published vehicle matches the given selector.', details: 'reason' },
  'vehicle.ambiguous': {
    message: 'More than one published vehicle matches the selector. Use the vehicle id or the VIN.',
    details: 'violations',
  },
  'vehicle.unavailable': { message: 'The vehicle is no longer available.', details: 'none' },
  'vehicle.stale': {
    message: 'No authoritative system has said the availability recently enough. Ask again later, or ask the dealer.',
    details: 'freshness',
  },
  'pricing.incomplete': { message: 'A required price component is unknown.', details: 'none' },
  'pricing.eligibility_unverified': {
    message: 'A claimed price adjustment cannot be applied without verification.',
    details: 'none',
  },
  'state.conflict': { message: 'The state changed during the operation. Refresh and try again.', details: 'none' },
  'idempotency.mismatch': {
    message: 'The idempotency key was used before with a different request.',
    details: 'reason',
  },
  'idempotency.store_down': {
    message: 'The idempotency store cannot be reached, so the write was not run.',
    details: 'none',
  },
  'limit.rate_exceeded': { message: 'The caller exceeded a rate limit. Wait before trying again.', details: 'none' },
  'limit.busy': { message: 'The service is at capacity for this request. Wait before trying again.', details: 'none' },
  'consent.required': { message: 'Customer information is present without a covering consent.', details: 'none' },
  'consent.invalid': {
    message: 'The consent is malformed, expired, or does not cover this use.',
    details: 'violations',
  },
  'appointment.unavailable': { message: 'The requested appointment time cannot be honored.', details: 'none' },
  'plan.forbidden': { message: 'The plan of this organization does not include the requested tier.', details: 'none' },
  'model.forbidden': { message: 'The requested model is not allowed for this key.', details: 'none' },
  'region.unavailable': { message: 'The requested region has no egress for this connector.', details: 'none' },
  'budget.exceeded': { message: 'The spending cap has been reached.', details: 'none' },
  'credits.insufficient': { message: 'The prepaid balance is empty.', details: 'none' },
  'approval.denied': { message: 'A person denied this action, or its approval has ended.', details: 'none' },
  'approval.pending': { message: 'This action waits for a person to approve it.', details: 'approval' },
  'feature.not_configured': { message: 'This feature is not configured here.', details: 'none' },
  'upstream.unavailable': {
    message: 'A system that this answer depends on is temporarily unavailable.',
    details: 'none',
  },
  'internal.unexpected': {
    message: 'An unexpected error occurred. Quote the error id to support.',
    details: 'none',
    opsRetryable: true,
  },
  'internal.output_invalid': {
    message: 'The answer did not pass its own checks and was not sent. Quote the error id to support.',
    details: 'none',
    opsRetryable: false,
  },
} as const satisfies Record<string, FailureEntry>;

/** Every failure code of the product. */
export type FailureCode = keyof typeof registry;

/** The registry with its entry type widened for generic readers. */
export const FAILURES: Readonly<Record<FailureCode, FailureEntry>> = registry;

export const FAILURE_CODES = Object.keys(registry) as readonly FailureCode[];
