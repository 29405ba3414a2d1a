import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { logOptions } from './log-options.js';

/** What one call of the logger writes. */
function written(...args: [object, string?]): Record<string, unknown> {
  let line = '';
  pino(logOptions({ LOG_LEVEL: 'trace' }), { write: (text: string) => (line = text) }).info(...args);
  return JSON.parse(line) as Record<string, unknown>;
}

describe('A log line', () => {
  it('has a level by name and a time, and neither process id nor host name', () => {
    const line = written({ request_id: 'req_1' }, 'hello');
    expect(Object.keys(line)).toEqual(['level', 'time', 'request_id', 'msg']);
    expect(line).toMatchObject({ level: 'info', request_id: 'req_1', msg: 'hello' });
  });

  it.each([
    'authorization',
    'cookie',
    'password',
    'secret',
    'token',
    'cursor',
    'key',
    'DATABASE_URL',
    'FORECOURT_SECRET',
    'REDIS_URL',
    'connectionString',
  ])('shows no %s, wherever somebody logged it', (name) => {
    const text = JSON.stringify(written({ [name]: 'hidden', a: { [name]: 'hidden', b: { [name]: 'hidden' } } }));
    expect(text).not.toContain('hidden');
    expect(text).toContain('[redacted]');
  });

  it('about a request names its route, never its address, query or headers', () => {
    const req = {
      id: 'req_1',
      method: 'POST',
      url: '/x?token=hidden',
      ip: '203.0.113.7',
      headers: { a: 'hidden' },
      routeOptions: { url: '/x' },
    };
    expect(written({ req })['req']).toEqual({ id: 'req_1', method: 'POST', route: '/x' });
    expect(written({ req: { ...req, routeOptions: {} } })['req']).toMatchObject({ route: 'unmatched' });
  });

  it('about an error tells type, message and causes without the credentials of a URL', () => {
    const cause = new Error('connect postgres://user:hidden@db.example/forecourt failed');
    const { err } = written({ err: new TypeError('no way to redis://:hidden@cache.example', { cause }) });
    expect(JSON.stringify(err)).not.toContain('hidden');
    expect(err).toMatchObject({
      type: 'TypeError',
      message: 'no way to redis://[redacted]@cache.example',
      cause: { type: 'Error' },
    });
  });

  it('about something that is no error tells only its kind', () => {
    expect(written({ err: 'jane@mail.example' })['err']).toEqual({ message: 'string' });
  });
});
