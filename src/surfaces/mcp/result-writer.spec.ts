import { describe, expect, it } from 'vitest';
import { JsonBytes } from '../../kernel/json-bytes.js';
import { ResultWriter } from './result-writer.js';

const writer = new ResultWriter({ name: 'forecourt', version: '1.2.3' });
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'forecourt', version: '1.2.3' } };
const read = (bytes: Buffer): unknown => JSON.parse(bytes.toString('utf8'));
const DOCUMENT = { text: 'a "quoted"\n\\ é 🚗 \u2028', n: 1 };
const body = (): JsonBytes =>
  JsonBytes.concat([JsonBytes.text('{"text":'), JsonBytes.of(DOCUMENT.text), JsonBytes.text(',"n":1}')]);

describe('The answer of a tool', () => {
  it.each(['x', 7, '"]}', ''])('carries its document twice, the same both times, for the id %j', (id) => {
    const answer = read(writer.toolResult(id, 'legacy', body()));
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id,
      result: {
        content: [{ type: 'text', text: JSON.stringify(DOCUMENT) }],
        structuredContent: DOCUMENT,
        isError: false,
      },
    });
  });

  it('is complete and signed with the name of the server in the modern era alone', () => {
    expect(read(writer.toolResult(1, 'modern', body()))).toMatchObject({
      result: { resultType: 'complete', _meta: META },
    });
    expect(read(writer.toolResult(1, 'legacy', body()))).not.toHaveProperty('result._meta');
  });

  it('says how long it may be kept where it may', () => {
    const cache = { ttlMs: 5000, scope: 'public' };
    expect(read(writer.toolResult(1, 'modern', body(), cache))).toMatchObject({
      result: { ttlMs: 5000, cacheScope: 'public' },
    });
    expect(read(writer.toolResult(1, 'modern', body()))).not.toHaveProperty('result.ttlMs');
  });

  it('that failed is marked, in both forms', () => {
    for (const era of ['modern', 'legacy'] as const) {
      expect(read(writer.toolError(1, era, { code: 'x' }, true))).toMatchObject({
        result: { isError: true, structuredContent: { code: 'x' }, content: [{ type: 'text', text: '{"code":"x"}' }] },
      });
      const asText = read(writer.toolError(1, era, { code: 'x' }, false));
      expect(asText).toMatchObject({ result: { isError: true, content: [{ type: 'text', text: '{"code":"x"}' }] } });
      expect(asText).not.toHaveProperty('result.structuredContent');
    }
  });
});

describe('Other answers', () => {
  it('have the members they are given, and none when there are none', () => {
    expect(read(writer.result(1, 'legacy', ''))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(read(writer.result('a', 'modern', ''))).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: { resultType: 'complete', _meta: META },
    });
    expect(read(writer.result(1, 'modern', '"tools":[]'))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', tools: [], _meta: META },
    });
  });

  it('that are errors name the request only where its id is known', () => {
    expect(read(writer.error(undefined, { code: -32700, message: 'm' }))).toEqual({
      jsonrpc: '2.0',
      error: { code: -32700, message: 'm' },
    });
    expect(read(writer.error(0, { code: 1, message: 'm', data: { a: 1 } }))).toEqual({
      jsonrpc: '2.0',
      id: 0,
      error: { code: 1, message: 'm', data: { a: 1 } },
    });
  });
});
