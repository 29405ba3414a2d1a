import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import type { FailureCode } from '../../src/kernel/failure/registry.js';
import { FAILURE_CODES, FAILURES } from '../../src/kernel/failure/registry.js';
import { toAapError } from '../../src/surfaces/a2a/aap-error.js';
import { AAP_CODES } from '../../src/surfaces/a2a/failure-map.js';
import { exampleOf, hostileFailure, MARK, NOW } from './example-failures.js';
import { HAS_SPECIFICATIONS, readSpecification, specificationValidator } from './shared-specifications.js';

const at = { now: NOW };

/** Every wire code: JSON-RPC code, retry advice, and the failures that are worded by it. */
const WIRE: Readonly<
  Record<string, { readonly jsonRpc: number; readonly retryable: boolean; readonly from: readonly FailureCode[] }>
> = {
  UNSUPPORTED_SKILL: {
    jsonRpc: -32601,
    retryable: false,
    from: [
      'protocol.revision_unsupported',
      'capability.unsupported',
      'route.unknown',
      'caller.unauthenticated',
      'caller.credential_invalid',
      'caller.role_forbidden',
      'caller.network_forbidden',
      'grant.scope_insufficient',
      'plan.forbidden',
      'model.forbidden',
      'region.unavailable',
      'budget.exceeded',
      'credits.insufficient',
      'approval.denied',
      'approval.pending',
      'feature.not_configured',
    ],
  },
  SCHEMA_VALIDATION_FAILED: {
    jsonRpc: -32602,
    retryable: false,
    from: [
      'input.invalid',
      'input.cursor_rejected',
      'input.unparsable',
      'input.too_large',
      'input.customer_data',
      'vehicle.ambiguous',
      'pricing.eligibility_unverified',
    ],
  },
  MISSING_REQUIRED_FIELD: { jsonRpc: -32602, retryable: false, from: ['input.field_missing'] },
  INVALID_CONDITION: { jsonRpc: -32602, retryable: false, from: ['input.condition_vocabulary'] },
  VEHICLE_NOT_FOUND: {
    jsonRpc: -32000,
    retryable: false,
    from: ['grant.tenant_forbidden', 'resource.not_found', 'vehicle.not_found'],
  },
  VEHICLE_UNAVAILABLE: {
    jsonRpc: -32000,
    retryable: false,
    from: ['vehicle.unavailable', 'vehicle.stale', 'pricing.incomplete'],
  },
  CONTACT_CONSENT_REQUIRED: { jsonRpc: -32000, retryable: false, from: ['consent.required'] },
  INVALID_CONSENT: { jsonRpc: -32000, retryable: false, from: ['consent.invalid'] },
  APPOINTMENT_TIME_UNAVAILABLE: { jsonRpc: -32000, retryable: false, from: ['appointment.unavailable'] },
  IDEMPOTENCY_CONFLICT: {
    jsonRpc: -32000,
    retryable: false,
    from: ['input.precondition', 'input.held', 'idempotency.mismatch'],
  },
  RATE_LIMITED: { jsonRpc: -32002, retryable: true, from: ['limit.rate_exceeded', 'limit.busy'] },
  INTERNAL_ERROR: {
    jsonRpc: -32603,
    retryable: true,
    from: [
      'state.conflict',
      'idempotency.store_down',
      'upstream.unavailable',
      'internal.unexpected',
      'internal.output_invalid',
    ],
  },
};

describe('The AAP error payload', () => {
  it('knows exactly the twelve codes of AAP 1.3', () => {
    expect(Object.keys(AAP_CODES).toSorted()).toEqual(Object.keys(WIRE).toSorted());
    expect(Object.keys(WIRE)).toHaveLength(12);
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
  )(
    'words $failure as $code in a JSON-RPC error $jsonRpc with retryable $retryable',
    ({ code, jsonRpc, retryable, failure: failureCode }) => {
      const failure = exampleOf(failureCode);
      const error = toAapError(failure, at);
      expect(error).toEqual({
        code: jsonRpc,
        message: FAILURES[failureCode].message,
        data: {
          type: 'aap.error',
          error_id: failure.errorId,
          code,
          message: FAILURES[failureCode].message,
          retryable,
          ...(error.data.details === undefined ? {} : { details: error.data.details }),
          created_at: '2026-09-01T14:00:00Z',
        },
      });
      if (retryable) expect(error.data.details).toEqual({ retry_after_ms: 1000 });
    },
  );

  it('lists every violation with instanceLocation, keyword and error', () => {
    const violations = [
      { pointer: '/filters/year_min', keyword: 'type', explanation: 'must be integer' },
      { pointer: '', keyword: 'oneOf', explanation: 'must match exactly one of the alternatives' },
    ];
    expect(toAapError(new Failure('input.invalid', { violations }), at).data.details).toEqual({
      errors: [
        { instanceLocation: '/filters/year_min', keyword: 'type', error: 'must be integer' },
        { instanceLocation: '', keyword: 'oneOf', error: 'must match exactly one of the alternatives' },
      ],
    });
  });

  it('lists at most a hundred violations', () => {
    const violations = Array.from({ length: 101 }, (_, i) => ({
      pointer: `/filters/make/${i}`,
      keyword: 'type',
      explanation: 'must be string',
    }));
    expect(toAapError(new Failure('input.invalid', { violations }), at).data.details?.['errors']).toHaveLength(100);
  });

  it('bounds the retry hint to one day', () => {
    expect(toAapError(new Failure('limit.rate_exceeded', { retryAfterMs: 1e12 }), at).data.details).toEqual({
      retry_after_ms: 86_400_000,
    });
  });

  it('puts nothing of a hostile context on the wire', () => {
    fc.assert(
      fc.property(hostileFailure, (failure) => {
        const error = toAapError(failure, at);
        expect(JSON.stringify(error)).not.toContain(MARK);
        expect(error.data.message).toBe(FAILURES[failure.code].message);
        expect(error.data.details?.['retry_after_ms'] !== undefined).toBe(error.data.retryable);
      }),
    );
  });
});

describe.skipIf(!HAS_SPECIFICATIONS)('The AAP error payload against the published contract', () => {
  it('has the codes, JSON-RPC codes and retry advice of the contract’s own table', () => {
    // The contract's text has no line breaks, so its rows are found by their form: code, meaning, JSON-RPC code, advice.
    const text = readSpecification('seeds/aap-errors.md').replaceAll('\\|', '/');
    const rows = [...text.matchAll(/\| `([A-Z_]+)` \| [^|]+ \| (-\d+) \([^)]+\) \| [`*]*(true|false)[`*]* \|/g)];
    const published = Object.fromEntries(
      rows.map(([, code = '', jsonRpc, retryable]) => [
        code,
        { jsonRpc: Number(jsonRpc), retryable: retryable === 'true' },
      ]),
    );
    expect(published).toEqual(AAP_CODES);
  });

  it('matches the published schema for every failure', () => {
    const validate = specificationValidator('aap/schemas/error.schema.json');
    const problems = FAILURE_CODES.flatMap((code) =>
      validate(toAapError(exampleOf(code), at).data) ? [] : [{ code, errors: validate.errors }],
    );
    expect(problems).toEqual([]);
  });
});
