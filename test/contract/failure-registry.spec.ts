import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import { FAILURE_CODES, FAILURES } from '../../src/kernel/failure/registry.js';
import { AAP_CODES, AAP_FAILURE_MAP } from '../../src/surfaces/a2a/failure-map.js';
import { DAP_CODES, DAP_FAILURE_MAP } from '../../src/surfaces/mcp/failure-map.js';
import { OPS_CODES, OPS_FAILURE_MAP } from '../../src/surfaces/ops/failure-map.js';
import { hostileFailure, MARK } from './example-failures.js';

const SURFACES = [
  { surface: 'DAP', codes: DAP_CODES, map: DAP_FAILURE_MAP },
  { surface: 'AAP', codes: AAP_CODES, map: AAP_FAILURE_MAP },
  { surface: 'ops', codes: OPS_CODES, map: OPS_FAILURE_MAP },
] as const;

describe('The failure registry', () => {
  it.each(FAILURE_CODES.map((code) => [code]))('has a safe message for %s', (code) => {
    const { message } = FAILURES[code];
    expect(message.length).toBeGreaterThan(0);
    expect(message.length).toBeLessThanOrEqual(500);
    expect(message).toMatch(/^[A-Z][ -~]*\.$/);
    expect(message).not.toMatch(/select |insert |\bat \/|stack|postgres|prisma|redis|token|password/i);
  });

  it('names its codes in two lower-case parts', () => {
    expect(FAILURE_CODES.filter((code) => !/^[a-z]+\.[a-z_]+$/.test(code))).toEqual([]);
  });

  it.each(SURFACES)('reaches every wire code of $surface', ({ codes, map }) => {
    const reached = new Set<string>(Object.values(map));
    expect(Object.keys(codes).filter((code) => !reached.has(code))).toEqual([]);
  });

  it('keeps the message of the registry whatever a failure is made with', () => {
    fc.assert(
      fc.property(hostileFailure, (failure) => {
        expect(failure.message).toBe(FAILURES[failure.code].message);
        expect(failure.message).not.toContain(MARK);
      }),
    );
  });

  it('takes anything thrown for an unexpected failure and keeps it as the cause', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        const failure = Failure.from(thrown);
        expect(failure.code).toBe('internal.unexpected');
        expect(failure.context.cause).toBe(thrown);
        expect(failure.message).toBe('An unexpected error occurred. Quote the error id to support.');
      }),
    );
  });
});
