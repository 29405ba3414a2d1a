import { describe, expect, it } from 'vitest';
import { Failure } from '../../kernel/failure/failure.js';
import { parseJsonBody } from './json-body.js';

const parse = (text: string | Buffer, depth = 64): unknown => parseJsonBody(Buffer.from(text), depth);

function reasonOf(text: string | Buffer, depth = 64): string | undefined {
  try {
    parse(text, depth);
    return undefined;
  } catch (error) {
    return error instanceof Failure ? error.context.reason : String(error);
  }
}

describe('A JSON body', () => {
  it('is read as JSON, with or without a byte order mark', () => {
    expect(parse('{"a":[1,"é"]}')).toEqual({ a: [1, 'é'] });
    expect(parse('\ufeff[]')).toEqual([]);
  });

  it.each([
    { body: '', reason: 'empty_body' },
    { body: Buffer.from([0xff, 0xfe]), reason: 'unsupported_encoding' },
    { body: '{', reason: 'malformed_json' },
    { body: '"\\u0000"', reason: 'malformed_json' },
    { body: '\ufeff\ufeff1', reason: 'malformed_json' },
  ])('is refused with the reason $reason', ({ body, reason }) => {
    expect(reasonOf(body)).toBe(reason);
  });

  it.each([
    { body: '[[]]', depth: 2, fits: true },
    { body: '[[[]]]', depth: 2, fits: false },
    { body: '{"a":{"b":{}}}', depth: 2, fits: false },
    { body: '[{"a":1},[2],{"b":[]}]', depth: 3, fits: true },
  ])('may be nested as deep as it is allowed: $body', ({ body, depth, fits }) => {
    expect(reasonOf(body, depth)).toBe(fits ? undefined : 'nesting_too_deep');
  });

  it.each(['"[[[[[["', '"\\"[[[[["', '{"[[[[":"]]]]"}', '"\\\\"'])(
    'does not count brackets inside texts: %s',
    (body) => {
      expect(reasonOf(body, 1)).toBeUndefined();
    },
  );

  it('costs no stack, however deep it is', () => {
    expect(reasonOf('['.repeat(1_000_000))).toBe('nesting_too_deep');
  });

  it('never shows a part of itself in the failure', () => {
    try {
      parse('{"password": hunter2');
    } catch (error) {
      expect((error as Error).message).not.toContain('hunter2');
    }
  });
});
