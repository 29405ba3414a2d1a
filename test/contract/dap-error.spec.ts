import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import type { FailureCode } from '../../src/kernel/failure/registry.js';
import { FAILURE_CODES, FAILURES } from '../../src/kernel/failure/registry.js';
import { toDapError } from '../../src/surfaces/mcp/dap-error.js';
import { DAP_CODES, DAP_FAILURE_MAP } from '../../src/surfaces/mcp/failure-map.js';
import { exampleOf, hostileFailure, MARK, NOW, TRACE } from './example-failures.js';
import { HAS_SPECIFICATIONS, readSpecification, specificationValidator, tableRows } from './shared-specifications.js';

const at = { traceId: TRACE, now: NOW };

/** Every wire code with its retry advice and the failures that are worded by it. Literal on purpose: this is the contract. */
const WIRE: Readonly<Record<string, { readonly retryable: boolean; readonly from: readonly FailureCode[] }>> = {
  'dealeragent.validation.invalid': {
    retryable: false,
    from: [
      'input.invalid',
      'input.field_missing',
      'input.condition_vocabulary',
      'input.cursor_rejected',
      'input.unparsable',
      'input.too_large',
      'input.customer_data',
      'vehicle.ambiguous',
      'idempotency.mismatch',
      'consent.required',
      'consent.invalid',
    ],
  },
  'dealeragent.protocol.unsupported_revision': { retryable: false, from: ['protocol.revision_unsupported'] },
  'dealeragent.capability.unsupported': {
    retryable: false,
    from: ['capability.unsupported', 'route.unknown', 'appointment.unavailable', 'feature.not_configured'],
  },
  'dealeragent.auth.required': { retryable: false, from: ['caller.unauthenticated'] },
  'dealeragent.auth.invalid': { retryable: false, from: ['caller.credential_invalid', 'caller.network_forbidden'] },
  'dealeragent.scope.insufficient': {
    retryable: false,
    from: [
      'caller.role_forbidden',
      'grant.scope_insufficient',
      'plan.forbidden',
      'model.forbidden',
      'region.unavailable',
      'budget.exceeded',
      'credits.insufficient',
      'approval.denied',
      'approval.pending',
    ],
  },
  'dealeragent.tenant.forbidden': { retryable: false, from: ['grant.tenant_forbidden'] },
  'dealeragent.resource.not_found': { retryable: false, from: ['resource.not_found', 'vehicle.not_found'] },
  'dealeragent.vehicle.unavailable': { retryable: false, from: ['vehicle.unavailable'] },
  'dealeragent.vehicle.stale': { retryable: true, from: ['vehicle.stale'] },
  'dealeragent.pricing.incomplete': { retryable: false, from: ['pricing.incomplete'] },
  'dealeragent.pricing.eligibility_unverified': { retryable: false, from: ['pricing.eligibility_unverified'] },
  'dealeragent.state.conflict': { retryable: true, from: ['input.precondition', 'input.held', 'state.conflict'] },
  'dealeragent.rate_limited': { retryable: true, from: ['limit.rate_exceeded', 'limit.busy'] },
  'dealeragent.upstream.unavailable': { retryable: true, from: ['idempotency.store_down', 'upstream.unavailable'] },
  'dealeragent.internal': { retryable: true, from: ['internal.unexpected', 'internal.output_invalid'] },
};

describe('The DAP error object', () => {
  it('knows exactly the sixteen codes of the contract', () => {
    expect(Object.keys(DAP_CODES).toSorted()).toEqual(Object.keys(WIRE).toSorted());
    expect(Object.keys(WIRE)).toHaveLength(16);
  });

  it('gives every failure of the product exactly one code', () => {
    expect(
      Object.values(WIRE)
        .flatMap((row) => row.from)
        .toSorted(),
    ).toEqual(FAILURE_CODES.toSorted());
  });

  it.each(
    Object.entries(WIRE).flatMap(([code, { retryable, from }]) =>
      from.map((failure) => ({ code, retryable, failure })),
    ),
  )('words $failure as $code with retryable $retryable', ({ code, retryable, failure: failureCode }) => {
    const failure = exampleOf(failureCode);
    const error = toDapError(failure, at);
    expect(error).toEqual({
      error_id: failure.errorId,
      code,
      message: FAILURES[failureCode].message,
      retryable,
      ...(retryable ? { retry_after_ms: 1000 } : {}),
      trace_id: TRACE,
      ...(error.details === undefined ? {} : { details: error.details }),
      created_at: '2026-09-01T14:00:00Z',
    });
  });

  it('lists violations as field errors and nothing else of the context', () => {
    const violations = [{ pointer: '/filters/year_min', keyword: 'type', explanation: 'must be integer' }];
    expect(
      toDapError(new Failure('input.invalid', { violations, reason: 'not_found', auditReason: 'secret' }), at).details,
    ).toEqual({
      field_errors: [{ instance_location: '/filters/year_min', keyword: 'type', explanation: 'must be integer' }],
    });
  });

  it('locates a violation of the whole payload at "/"', () => {
    const violations = [{ pointer: '', keyword: 'oneOf', explanation: 'must match exactly one of the alternatives' }];
    expect(
      toDapError(new Failure('input.invalid', { violations }), at).details?.field_errors?.[0]?.instance_location,
    ).toBe('/');
  });

  it('lists at most a hundred violations', () => {
    const violations = Array.from({ length: 250 }, (_, i) => ({
      pointer: `/rooftop_ids/${i}`,
      keyword: 'pattern',
      explanation: 'is not an id',
    }));
    expect(toDapError(new Failure('input.invalid', { violations }), at).details?.field_errors).toHaveLength(100);
  });

  it('carries the freshness that made a stale answer impossible', () => {
    expect(toDapError(exampleOf('vehicle.stale'), at).details).toEqual({
      current_freshness: { observed_at: '2026-09-01T13:00:00Z', state: 'stale', max_age_seconds: 900 },
    });
  });

  it('bounds the retry hint to one day and gives none where a retry cannot help', () => {
    expect(toDapError(new Failure('limit.rate_exceeded', { retryAfterMs: 1e12 }), at).retry_after_ms).toBe(86_400_000);
    expect(toDapError(new Failure('limit.rate_exceeded', { retryAfterMs: 250 }), at).retry_after_ms).toBe(250);
    expect(toDapError(new Failure('vehicle.not_found', { retryAfterMs: 250 }), at)).not.toHaveProperty(
      'retry_after_ms',
    );
  });

  it('puts nothing of a hostile context on the wire', () => {
    fc.assert(
      fc.property(hostileFailure, (failure) => {
        const error = toDapError(failure, at);
        expect(JSON.stringify(error)).not.toContain(MARK);
        expect(error.message).toBe(FAILURES[failure.code].message);
        expect(error.message.length).toBeLessThanOrEqual(500);
        expect(error.retry_after_ms !== undefined).toBe(error.retryable);
        if (error.retry_after_ms !== undefined) expect(error.retry_after_ms).toBeLessThanOrEqual(86_400_000);
      }),
    );
  });
});

describe.skipIf(!HAS_SPECIFICATIONS)('The DAP error object against the published contract', () => {
  it('has the codes and retry advice of the contract’s own table', () => {
    const rows = tableRows(readSpecification('seeds/dap-error-contract.md'), /^dealeragent\./);
    const published = Object.fromEntries(rows.map(([code, retryable]) => [code, retryable === 'yes']));
    expect(published).toEqual(DAP_CODES);
  });

  it('matches the published schema for every failure', () => {
    const validate = specificationValidator('dap/schemas/error.schema.json', 'dap/schemas/common.schema.json');
    const problems = FAILURE_CODES.flatMap((code) =>
      validate(toDapError(exampleOf(code), at)) ? [] : [{ code, errors: validate.errors }],
    );
    expect(problems).toEqual([]);
  });

  it('matches the published schema for any hostile failure', () => {
    const validate = specificationValidator('dap/schemas/error.schema.json', 'dap/schemas/common.schema.json');
    fc.assert(fc.property(hostileFailure, (failure) => validate(toDapError(failure, at))));
  });
});

describe('The DAP failure map', () => {
  it('agrees with the contract row by row', () => {
    const expected = Object.fromEntries(
      Object.entries(WIRE).flatMap(([code, { from }]) => from.map((failure) => [failure, code])),
    );
    expect(DAP_FAILURE_MAP).toEqual(expected);
  });
});
