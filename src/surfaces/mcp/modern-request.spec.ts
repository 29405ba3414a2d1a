import { describe, expect, it } from 'vitest';
import { checkModernRequest, isModern, traceOf, unsupportedRevision } from './modern-request.js';

const claim = (version: unknown): Record<string, unknown> => ({
  _meta: { 'io.modelcontextprotocol/protocolVersion': version },
});

describe('A request', () => {
  it.each([
    { what: 'a claim in the body', params: claim('2026-07-28'), header: undefined },
    { what: 'a claim of an unknown version', params: claim('x'), header: undefined },
    { what: 'a claim that is no text', params: claim(7), header: undefined },
    { what: 'a modern header', params: {}, header: '2026-07-28' },
    { what: 'a header of the future', params: {}, header: '2031-01-01' },
    { what: 'a claim against an older header', params: claim('2026-07-28'), header: '2025-11-25' },
  ])('is modern by $what', ({ params, header }) => {
    expect(isModern(params, header === undefined ? {} : { 'mcp-protocol-version': header })).toBe(true);
  });

  it.each([
    { what: 'nothing', params: {}, header: undefined },
    { what: 'an older header', params: {}, header: '2025-11-25' },
    { what: 'a `_meta` without a claim', params: { _meta: { progressToken: 1 } }, header: undefined },
    { what: 'a `_meta` that is a list', params: { _meta: [] }, header: undefined },
    { what: 'a `_meta` that is null', params: { _meta: null }, header: undefined },
  ])('is of the older era by $what', ({ params, header }) => {
    expect(isModern(params, header === undefined ? {} : { 'mcp-protocol-version': header })).toBe(false);
  });
});

describe('A modern request', () => {
  it('whose header and body name different versions is a mismatch, whatever the versions are', () => {
    const meta = { ...(claim('v999.0.0')['_meta'] as object), 'io.modelcontextprotocol/clientCapabilities': {} };
    const request = { jsonrpc: '2.0' as const, id: 1, method: 'server/discover', params: { _meta: meta } };
    const check = (): void =>
      checkModernRequest(request, { 'mcp-protocol-version': '2026-07-28' }, (failure) => ({ code: failure.code }));
    expect(check).toThrow(expect.objectContaining({ status: 400, code: -32020 }) as Error);
  });
});

describe('The state of a trace', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  it.each(['shop=jane@example.com', 'a=1,shop=call 212-555-1234'])(
    'is dropped with a person in it: %s',
    (tracestate) => {
      for (const trace of [
        traceOf({ _meta: { traceparent, tracestate } }, {}),
        traceOf({}, { traceparent, tracestate }),
      ])
        expect(trace).toEqual({ traceId: traceparent.split('-')[1], parentId: '00f067aa0ba902b7', flags: '01' });
    },
  );

  it('goes on without', () => {
    expect(traceOf({}, { traceparent, tracestate: 'vendor=t61rcWkgMzE' })).toMatchObject({
      tracestate: 'vendor=t61rcWkgMzE',
    });
  });
});

describe('A revision that is not served', () => {
  it('is repeated where it looks like a version and called unreadable otherwise', () => {
    for (const [requested, shown] of [
      ['2031-01-01', '2031-01-01'],
      ['v999.0.0', 'v999.0.0'],
      ['305.555.0199', 'unreadable'],
      ['305-555-0199', 'unreadable'],
      ['token', 'unreadable'],
      ['', 'unreadable'],
    ] as const) {
      const fault = unsupportedRevision(requested, (failure) => ({ code: failure.code }));
      expect(fault).toMatchObject({
        status: 400,
        code: -32022,
        data: { requested: shown, code: 'protocol.revision_unsupported' },
      });
    }
  });
});
