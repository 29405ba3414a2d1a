import { JsonBytes } from '../../kernel/json-bytes.js';
import type { RequestId } from './json-rpc.js';

export type Era = 'modern' | 'legacy';

const OPEN = { modern: '"result":{"resultType":"complete",', legacy: '"result":{' } as const;

/** Puts JSON-RPC answers together from bytes that are already serialised. */
export class ResultWriter {
  private readonly tail: { readonly modern: Buffer; readonly legacy: Buffer };

  constructor(serverInfo: { readonly name: string; readonly version: string }) {
    const info = JSON.stringify({ 'io.modelcontextprotocol/serverInfo': serverInfo });
    this.tail = { modern: Buffer.from(`,"_meta":${info}}}`), legacy: Buffer.from('}}') };
  }

  /** A tool's answer: structured content and the same document as text (MCP server/tools). Copied once, whatever its size. */
  toolResult(
    id: RequestId,
    era: Era,
    body: JsonBytes,
    cache?: { readonly ttlMs: number; readonly scope: string },
  ): Buffer {
    const pieces = [this.head(id, era, '"content":[{"type":"text","text":"')];
    body.collectEscaped(pieces);
    pieces.push(TEXT_END);
    body.collectPlain(pieces);
    pieces.push(
      cache === undefined
        ? NOT_ERROR
        : Buffer.from(`,"isError":false,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.scope}"`),
      this.tail[era],
    );
    return Buffer.concat(pieces);
  }

  /** A tool's failure: in band, because the model has to see it. @param structured as structured content, too, not as text alone */
  toolError(id: RequestId, era: Era, error: object, structured: boolean): Buffer {
    const body = JsonBytes.of(error);
    return Buffer.concat([
      this.head(id, era, '"content":[{"type":"text","text":"'),
      body.escaped,
      ...(structured ? [TEXT_END, body.plain] : [TEXT_ONLY_END]),
      IS_ERROR,
      this.tail[era],
    ]);
  }

  /** Any other result; `members` is the inside of the result object, without braces. */
  result(id: RequestId, era: Era, members: string): Buffer {
    if (era === 'legacy') return Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}}}`);
    if (members === '')
      return Buffer.from(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete"${this.tail.modern.toString()}`,
      );
    return Buffer.concat([this.head(id, era, members), this.tail.modern]);
  }

  /** A JSON-RPC error. Without a readable request id the member is left out, as the schema has it. */
  error(
    id: RequestId | undefined,
    error: { readonly code: number; readonly message: string; readonly data?: unknown },
  ): Buffer {
    return Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error }));
  }

  private head(id: RequestId, era: Era, members: string): Buffer {
    return Buffer.from(
      `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},${OPEN[era]}${members}`,
    );
  }
}

const TEXT_END = Buffer.from('"}],"structuredContent":');
const TEXT_ONLY_END = Buffer.from('"}]');
const NOT_ERROR = Buffer.from(',"isError":false');
const IS_ERROR = Buffer.from(',"isError":true');
