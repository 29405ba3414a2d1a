import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTraceContext, traceparentOf, upstreamTraceHeaders } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const GOOD = `00-${TRACE}-${PARENT}-01`;

describe('A trace context', () => {
  it('is read as the W3C writes it', () => {
    expect(readTraceContext(GOOD, 'congo=t61rcWkgMzE, rojo=00f067aa0ba902b7')).toEqual({
      traceId: TRACE,
      parentId: PARENT,
      flags: '01',
      tracestate: 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7',
    });
  });

  it('of a later version is read as far as it is known', () => {
    expect(readTraceContext(`cc-${TRACE}-${PARENT}-01-what-the-future-brings`)?.traceId).toBe(TRACE);
  });

  it.each([
    undefined,
    7,
    '',
    'nonsense',
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${PARENT}-01\r\nx: y`,
    [GOOD],
  ])('that is not well formed counts as none: %j', (traceparent) => {
    expect(readTraceContext(traceparent)).toBeUndefined();
  });

  it.each(['', ',', 'no-value', 'a=1,a=2', 'A=1', 'a=b=c', 'a=1\r\nx: y', `a=${'x'.repeat(300)}`, 'x'.repeat(600)])(
    'loses a state that is not well formed, and nothing else: %j',
    (tracestate) => {
      const trace = readTraceContext(GOOD, tracestate);
      expect(trace).toEqual({ traceId: TRACE, parentId: PARENT, flags: '01' });
    },
  );

  it('goes on upstream as the same trace under a span of our own', () => {
    const sent = upstreamTraceHeaders(readTraceContext(GOOD, 'congo=1'));
    const [, traceId, parentId, flags] = (sent['traceparent'] ?? '').split('-');
    expect({ traceId, flags, tracestate: sent['tracestate'] }).toEqual({
      traceId: TRACE,
      flags: '01',
      tracestate: 'congo=1',
    });
    expect(parentId).toMatch(/^[0-9a-f]{16}$/);
    expect(parentId).not.toBe(PARENT);
    expect(upstreamTraceHeaders(undefined)).toEqual({});
  });

  it('never lets anything through that could not stand in a header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (parent, state) => {
        for (const trace of [readTraceContext(parent, state), readTraceContext(GOOD, state)]) {
          if (trace === undefined) continue;
          expect(traceparentOf(trace)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
          expect(trace.tracestate ?? '').toMatch(/^[\x20-\x7e]*$/);
        }
      }),
    );
  });
});
