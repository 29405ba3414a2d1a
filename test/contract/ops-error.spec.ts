import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure, FAILURE_REASONS } from '../../src/kernel/failure/failure.js';
import type { FailureCode } from '../../src/kernel/failure/registry.js';
import { FAILURE_CODES, FAILURES } from '../../src/kernel/failure/registry.js';
import { OPS_CODES } from '../../src/surfaces/ops/failure-map.js';
import { toOpsError } from '../../src/surfaces/ops/ops-error.js';
import { exampleOf, hostileFailure, MARK, REQUEST } from './example-failures.js';
import { HAS_SPECIFICATIONS, readSpecification, tableRows } from './shared-specifications.js';

interface Wire {
  readonly status: number;
  readonly retryable: boolean;
  /** The hint that is sent when the failure knows no better. */
  readonly hint?: number;
  readonly from: readonly FailureCode[];
}

/** Every wire code: HTTP status, retry advice, default hint, and the failures that are worded by it. */
const WIRE: Readonly<Record<string, Wire>> = {
  unauthorized: { status: 401, retryable: false, from: ['caller.unauthenticated', 'caller.credential_invalid'] },
  forbidden_scope: { status: 403, retryable: false, from: ['grant.scope_insufficient', 'grant.tenant_forbidden'] },
  forbidden_role: { status: 403, retryable: false, from: ['caller.role_forbidden'] },
  forbidden_ip: { status: 403, retryable: false, from: ['caller.network_forbidden'] },
  forbidden_plan: { status: 403, retryable: false, from: ['plan.forbidden'] },
  forbidden_model: { status: 403, retryable: false, from: ['model.forbidden'] },
  invalid_input: {
    status: 400,
    retryable: false,
    from: [
      'input.invalid',
      'input.field_missing',
      'input.condition_vocabulary',
      'input.cursor_rejected',
      'input.precondition',
      'input.held',
      'capability.unsupported',
      'route.unknown',
      'resource.not_found',
      'vehicle.not_found',
      'vehicle.ambiguous',
      'vehicle.unavailable',
      'pricing.incomplete',
      'pricing.eligibility_unverified',
      'idempotency.mismatch',
      'consent.required',
      'consent.invalid',
      'appointment.unavailable',
    ],
  },
  invalid_request: { status: 400, retryable: false, from: ['input.unparsable', 'protocol.revision_unsupported'] },
  body_too_large: { status: 413, retryable: false, from: ['input.too_large'] },
  pii_blocked: { status: 400, retryable: false, from: ['input.customer_data'] },
  region_unavailable: { status: 403, retryable: false, from: ['region.unavailable'] },
  rate_limited: {
    status: 429,
    retryable: true,
    hint: 1000,
    from: ['state.conflict', 'limit.rate_exceeded', 'limit.busy'],
  },
  budget_exceeded: { status: 402, retryable: false, hint: 60_000, from: ['budget.exceeded'] },
  insufficient_credits: { status: 402, retryable: false, hint: 60_000, from: ['credits.insufficient'] },
  dedupe_unavailable: { status: 503, retryable: true, hint: 1000, from: ['idempotency.store_down'] },
  provider_down: { status: 503, retryable: true, hint: 1000, from: ['vehicle.stale', 'upstream.unavailable'] },
  approval_denied: { status: 403, retryable: false, from: ['approval.denied'] },
  approval_pending: { status: 202, retryable: false, hint: 5000, from: ['approval.pending'] },
  unavailable: { status: 503, retryable: false, from: ['feature.not_configured'] },
  internal: { status: 500, retryable: true, hint: 1000, from: ['internal.unexpected', 'internal.output_invalid'] },
};

/** The one place where advice depends on the cause: a broken answer stays broken when it is asked for again. */
const NOT_WORTH_A_RETRY: readonly FailureCode[] = ['internal.output_invalid'];

describe('The ops error', () => {
  it('knows exactly the twenty codes of the catalogue', () => {
    expect(Object.keys(OPS_CODES).toSorted()).toEqual(Object.keys(WIRE).toSorted());
    expect(Object.keys(WIRE)).toHaveLength(20);
  });

  it('gives every failure of the product exactly one code', () => {
    expect(
      Object.values(WIRE)
        .flatMap((row) => row.from)
        .toSorted(),
    ).toEqual(FAILURE_CODES.toSorted());
  });

  it.each(
    Object.entries(WIRE).flatMap(([code, { from, ...facts }]) => from.map((failure) => ({ code, failure, ...facts }))),
  )('words $failure as $code with HTTP $status', ({ code, status, retryable, hint, failure: failureCode }) => {
    const advised = retryable && !NOT_WORTH_A_RETRY.includes(failureCode);
    const rendered = toOpsError(exampleOf(failureCode), REQUEST);
    expect(rendered).toEqual({
      status,
      error: {
        code,
        message: FAILURES[failureCode].message,
        retryable: advised,
        request_id: REQUEST,
        ...(hint === undefined || (retryable && !advised) ? {} : { retry_after_ms: hint }),
        ...(rendered.error.details === undefined ? {} : { details: rendered.error.details }),
      },
    });
  });

  it('is retryable by cause for internal alone', () => {
    const byCause = Object.entries(OPS_CODES).flatMap(([code, facts]) =>
      facts.retryable === 'by cause' ? [code] : [],
    );
    expect(byCause).toEqual(['internal']);
    const flagged = FAILURE_CODES.filter((code) => FAILURES[code].opsRetryable !== undefined);
    expect(flagged).toEqual(['internal.unexpected', 'internal.output_invalid']);
  });

  it('names the reason from a closed list', () => {
    expect(FAILURE_REASONS).toEqual([
      'not_found',
      'unknown_route',
      'precondition_required',
      'precondition_failed',
      'held',
      'idempotency_mismatch',
      'idempotency_key_required',
      'idempotency_key_invalid',
      'malformed_path',
      'malformed_json',
      'unsupported_media_type',
      'unsupported_encoding',
      'nesting_too_deep',
      'empty_body',
      'person_required',
      'sign_in_again',
      'own_request',
      'not_an_approver',
      'still_in_use',
      'superseded',
    ]);
    expect(toOpsError(new Failure('resource.not_found', { reason: 'not_found' }), REQUEST).error.details).toEqual({
      reason: 'not_found',
    });
  });

  it('lists violations with JSON Pointers, at most a hundred', () => {
    const violation = { pointer: '/name', keyword: 'maxLength', explanation: 'must NOT have more than 120 characters' };
    expect(toOpsError(new Failure('input.invalid', { violations: [violation] }), REQUEST).error.details).toEqual({
      violations: [violation],
    });
    const many = Array.from({ length: 130 }, () => violation);
    expect(
      toOpsError(new Failure('input.invalid', { violations: many }), REQUEST).error.details?.['violations'],
    ).toHaveLength(100);
  });

  it('names the error id of an internal failure and of no other', () => {
    const failure = new Failure('internal.unexpected', { cause: new Error('boom') });
    expect(toOpsError(failure, REQUEST).error.details).toEqual({ error_id: failure.errorId });
    expect(toOpsError(new Failure('caller.unauthenticated'), REQUEST).error).not.toHaveProperty('details');
  });

  it('bounds the retry hint to one day and prefers the hint of the failure', () => {
    expect(toOpsError(new Failure('limit.busy', { retryAfterMs: 1e12 }), REQUEST).error.retry_after_ms).toBe(
      86_400_000,
    );
    expect(toOpsError(new Failure('limit.busy', { retryAfterMs: 250 }), REQUEST).error.retry_after_ms).toBe(250);
  });

  it('puts nothing of a hostile context on the wire', () => {
    fc.assert(
      fc.property(hostileFailure, (failure) => {
        const { error } = toOpsError(failure, REQUEST);
        expect(JSON.stringify(error)).not.toContain(MARK);
        expect(error.message).toBe(FAILURES[failure.code].message);
        if (error.retryable) expect(error.retry_after_ms).toBeDefined();
        expect(error.retry_after_ms ?? 0).toBeLessThanOrEqual(86_400_000);
      }),
    );
  });
});

describe.skipIf(!HAS_SPECIFICATIONS)('The ops error against the published catalogue', () => {
  const rows = HAS_SPECIFICATIONS ? tableRows(readSpecification('seeds/hub-errors.md'), /^[a-z_]+$/) : [];

  it('has the codes of the catalogue’s own table', () => {
    expect(rows.map(([code]) => code).toSorted()).toEqual(Object.keys(OPS_CODES).toSorted());
  });

  it.each(rows.map(([code = '', http = '', retry = '']) => ({ code, http, retry })))(
    'answers $code with HTTP $http and retry $retry',
    ({ code, http, retry }) => {
      const facts = OPS_CODES[code as keyof typeof OPS_CODES];
      // The catalogue gives approval_pending a status on MCP only; over HTTP it is 202, accepted and not done.
      if (code === 'approval_pending') expect([http, facts.status]).toEqual(['200 (MCP)', 202]);
      else expect(http.split('/').map(Number)).toContain(facts.status);
      expect(facts.retryable).toBe(
        { yes: true, no: false, poll: false, sometimes: 'by cause' }[retry.replace('\\', '')],
      );
    },
  );

  it('uses the default hints that the catalogue names', () => {
    const text = readSpecification('seeds/hub-errors.md');
    expect(text).toContain('Wait `retry_after_ms` (default 1000)');
    expect(text).toContain('`retry_after_ms` (default 60000)');
  });
});
