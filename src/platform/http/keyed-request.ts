import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { Failure } from '../../kernel/failure/failure.js';
import { LIMITS } from '../../kernel/limits.js';
import type { KeyedContent } from '../../kernel/ports/keyed-writes.js';
import type { FastifyRequest } from './request-context.js';

/** Visible ASCII: what every client, proxy and log line leaves as it is. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The idempotency key of a request.
 * @throws Failure `input.precondition` with the reason `idempotency_key_required` or `idempotency_key_invalid`.
 */
export function idempotencyKeyOf(request: FastifyRequest): string {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') throw new Failure('input.precondition', { reason: 'idempotency_key_required' });
  if (typeof key !== 'string' || !KEY.test(key))
    throw new Failure('input.precondition', { reason: 'idempotency_key_invalid' });
  return key;
}

/** What a request asks for: path, query and body. A body that is still coming is hashed while its reader takes it. */
export function keyedContentOf(request: FastifyRequest): KeyedContent {
  const { body } = request;
  if (!isStream(body)) return wholeContent(request.url, body);
  const streamed = new StreamedContent(request.url, body);
  request.body = streamed;
  return streamed;
}

function wholeContent(url: string, body: unknown): KeyedContent {
  const fingerprint = createHash('sha256')
    .update(canonicalJson([url, body ?? null]))
    .digest();
  return { complete: true, fingerprint: () => fingerprint, drain: () => Promise.resolve() };
}

/** Stands in for the body that the handler reads. */
class StreamedContent implements KeyedContent, AsyncIterable<Uint8Array> {
  complete = false;
  private readonly hash: Hash;
  private bytes = 0;
  private digest: Buffer | undefined;

  constructor(
    url: string,
    private readonly chunks: AsyncIterable<Uint8Array>,
  ) {
    this.hash = createHash('sha256').update(`${canonicalJson(url)}\n`);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this.chunks) {
      this.hash.update(chunk);
      this.bytes += chunk.length;
      yield chunk;
    }
    this.complete = true;
  }

  fingerprint(): Buffer {
    if (!this.complete) throw new Error('the body has not been read to its end');
    return (this.digest ??= this.hash.digest());
  }

  async drain(): Promise<void> {
    const chunks = this[Symbol.asyncIterator]();
    while ((await chunks.next()).done !== true)
      if (this.bytes > LIMITS.uploadBytes.value) throw new Failure('input.too_large');
  }
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
