import { describe, expect, it } from 'vitest';
import { idOf, isRequestId, ProtocolFault, readMessage, RPC } from './json-rpc.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('A JSON-RPC message', () => {
  it('with an id is a request, without one a notification; missing parameters are none', () => {
    expect(readMessage(PING)).toEqual({ kind: 'request', request: { ...PING, params: {} } });
    expect(readMessage({ jsonrpc: '2.0', method: 'ping' })).toEqual({
      kind: 'notification',
      notification: { jsonrpc: '2.0', method: 'ping', params: {} },
    });
  });

  it.each([
    null,
    'ping',
    7,
    [PING],
    {},
    { ...PING, jsonrpc: 2 },
    { ...PING, method: undefined },
    { ...PING, method: '' },
    { ...PING, method: 'x'.repeat(129) },
    { ...PING, params: null },
    { ...PING, params: [] },
    { ...PING, params: 'x' },
    { ...PING, id: null },
    { ...PING, id: undefined },
    { ...PING, id: 1.5 },
    { ...PING, id: 2 ** 53 },
    { ...PING, id: 'x'.repeat(257) },
    { ...PING, id: true },
    { jsonrpc: '2.0', id: 1, result: {} },
  ])('is none when it is %j', (body) => {
    let fault: unknown;
    try {
      readMessage(body);
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(ProtocolFault);
    expect(fault).toMatchObject({ status: 400, code: RPC.invalidRequest });
  });

  it('has an id that errors can name as far as it could be read', () => {
    for (const id of [0, -1, 'x', '']) expect(idOf({ id })).toBe(id);
    for (const body of [null, 7, [], {}, { id: null }, { id: {} }, { id: NaN }]) expect(idOf(body)).toBeUndefined();
    expect(isRequestId('x'.repeat(256))).toBe(true);
  });
});
