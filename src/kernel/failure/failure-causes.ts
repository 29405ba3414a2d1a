import type { FailureCode } from './registry.js';

/**
 * What really produces each failure. `raised` names a cause that exists today; `waiting` the capability that will bring it.
 * A test holds this against the source: a raised code is thrown somewhere, a waiting one nowhere
 * (test/contract/failure-causes.spec.ts).
 */
type Cause = { readonly raised: string } | { readonly waiting: string };

export const FAILURE_CAUSES: Readonly<Record<FailureCode, Cause>> = {
  'input.invalid': { raised: 'Arguments, body or path that do not match their schema.' },
  'input.field_missing': { waiting: 'the A2A surface, which names a single missing field' },
  'input.condition_vocabulary': { waiting: 'leads over A2A' },
  'input.cursor_rejected': {
    raised: 'A cursor that was altered, has expired, or belongs to another query, caller or rooftop set.',
  },
  'input.unparsable': {
    raised: 'A body that is not JSON, not UTF-8, nested too deeply, or of another content type or encoding.',
  },
  'input.too_large': { raised: 'A body over the limit of its route.' },
  'input.customer_data': {
    raised: 'An argument that looks like an e-mail address, a telephone, social security or payment card number.',
  },
  'input.precondition': {
    raised:
      'A conditional admin change without If-Match, or whose If-Match names another version than the one in force; a POST of the admin API without a usable Idempotency-Key.',
  },
  'input.held': {
    raised: 'A change that would take away a record under a legal hold, or one of a group whose hold is being counted.',
  },
  'protocol.revision_unsupported': { raised: 'An MCP revision that is not served.' },
  'capability.unsupported': { raised: 'A tool, filter or sort of a profile that is not offered.' },
  'route.unknown': { raised: 'A path or method that does not exist.' },
  'caller.unauthenticated': { raised: 'An admin call, or a call of a protected tool, without a key.' },
  'caller.credential_invalid': {
    raised:
      'A key or token that is malformed, unknown, expired or revoked, of another issuer or audience, without the proof that it needs, or presented where none is accepted.',
  },
  'caller.role_forbidden': {
    raised:
      'A key whose role does not cover the admin operation, a key of staff on a protocol surface, or one of an organization where only the platform may act.',
  },
  'caller.network_forbidden': { raised: 'A key that is used from an address outside its networks.' },
  'grant.scope_insufficient': {
    raised:
      'An agent whose grant lacks the profile, scope or purpose of the operation, whose key or OAuth client carries no grant, whose client is not known, or a key whose scopes do not name the operation.',
  },
  'grant.tenant_forbidden': { raised: 'An agent that names an organization or rooftop outside its grant.' },
  'resource.not_found': {
    raised: 'An organization, rooftop, feed, run or resource that does not exist for the caller.',
  },
  'vehicle.not_found': { raised: 'A selector that matches no published vehicle of the rooftop.' },
  'vehicle.ambiguous': { raised: 'A stock number that two published vehicles of the rooftop share.' },
  'vehicle.unavailable': { raised: 'A published unit that the system of its dealer says it has no more (410).' },
  'vehicle.stale': {
    raised: 'A check of availability without an authoritative source, or whose source observed too long ago.',
  },
  'pricing.incomplete': {
    raised: 'A disclosure of a unit whose price is unknown, or whose parts are in several currencies.',
  },
  'pricing.eligibility_unverified': {
    raised:
      'A disclosure for a way of paying that by itself claims an adjustment of the rooftop which only a verified buyer may claim.',
  },
  'state.conflict': {
    raised:
      'A change that met another one of the same record, or a unit that was withdrawn while its availability was checked.',
  },
  'idempotency.mismatch': {
    raised: 'An idempotency key that was used before for another request, or a single-unit event whose id was.',
  },
  'idempotency.store_down': {
    raised: 'A keyed write while the store of idempotency keys cannot be reached; it was not run.',
  },
  'limit.rate_exceeded': { raised: 'More calls a minute than the caller may make.' },
  'limit.busy': {
    raised: 'No database connection in time, or no place for another audit record or proof of possession.',
  },
  'consent.required': { waiting: 'leads over A2A' },
  'consent.invalid': { waiting: 'leads over A2A' },
  'appointment.unavailable': { waiting: 'leads over A2A' },
  'plan.forbidden': { waiting: 'plans and language-model operations' },
  'model.forbidden': { waiting: 'plans and language-model operations' },
  'region.unavailable': { waiting: 'connectors' },
  'budget.exceeded': { waiting: 'budgets' },
  'credits.insufficient': { waiting: 'budgets' },
  'approval.denied': { raised: 'An action whose approval was denied, has expired or was used.' },
  'approval.pending': { raised: 'An action that too few people stand behind yet.' },
  'feature.not_configured': { raised: 'A path that names no organization where no default is configured.' },
  'upstream.unavailable': {
    raised:
      'The database cannot be reached, so the call could not be answered or audited; or an availability source or an authorization server gives no usable answer in time.',
  },
  'internal.unexpected': { raised: 'Any error that nobody expected; logged once with its cause.' },
  'internal.output_invalid': { raised: 'An answer that failed its own schema; logged, never sent.' },
};
