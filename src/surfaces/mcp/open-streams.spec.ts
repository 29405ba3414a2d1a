import { describe, expect, it } from 'vitest';
import type { Caller } from '../../kernel/caller.js';
import { OpenStreams } from './open-streams.js';

const anonymous = (network: string): Caller => ({ kind: 'anonymous', network });
const agent = (subject: string, network: string): Caller => ({ kind: 'agent', subject, network }) as Caller;

describe('Open streams', () => {
  const opened = (streams: OpenStreams, caller: Caller, organizationId = 'org.a'): AbortController | string => {
    const connection = new AbortController();
    try {
      streams.hold(caller, organizationId, connection.signal);
      return connection;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('are limited for each network and for each agent, wherever it comes from', () => {
    const streams = new OpenStreams({ ofCaller: 2, ofAll: 100 });
    for (const caller of [anonymous('a'), anonymous('b')])
      expect([1, 2, 3].map(() => typeof opened(streams, caller))).toEqual(['object', 'object', 'string']);
    opened(streams, agent('x', 'a'));
    opened(streams, agent('x', 'b'));
    expect(opened(streams, agent('x', 'c'))).toBe('limit.rate_exceeded');
    expect(typeof opened(streams, agent('y', 'a'))).toBe('object');
    expect(typeof opened(streams, agent('x', 'a'), 'org.b')).toBe('object');
  });

  it('are limited all together, with another word', () => {
    const streams = new OpenStreams({ ofCaller: 2, ofAll: 3 });
    for (const network of ['a', 'b', 'c']) expect(typeof opened(streams, anonymous(network))).toBe('object');
    expect(opened(streams, anonymous('d'))).toBe('limit.busy');
  });

  it('make room when their connection closes, once', () => {
    const streams = new OpenStreams({ ofCaller: 1, ofAll: 1 });
    for (let i = 0; i < 3; i++) {
      const connection = opened(streams, anonymous('a')) as AbortController;
      expect(opened(streams, anonymous('a'))).toBe('limit.rate_exceeded');
      connection.abort();
      connection.abort();
    }
    expect(typeof opened(streams, anonymous('a'))).toBe('object');
  });

  it('are not held by a connection that has closed before', () => {
    const streams = new OpenStreams({ ofCaller: 1, ofAll: 1 });
    streams.hold(anonymous('a'), 'org.a', AbortSignal.abort());
    expect(typeof opened(streams, anonymous('a'))).toBe('object');
  });
});
