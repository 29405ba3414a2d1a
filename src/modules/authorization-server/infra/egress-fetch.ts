import { EgressRefused } from '../../../platform/egress/egress-refused.js';
import type { EgressClient } from '../../../platform/egress/egress-client.js';

const TIMEOUT_MS = 3000;
const MAX_BYTES = 16_384;

/**
 * The protocol library's way out: documents and keys of clients, whose addresses anybody may have written. Everything passes the
 * egress guard; redirects are not followed, since a document speaks for the very URL it was asked at.
 */
export function egressFetch(egress: EgressClient): (url: string | URL, options?: RequestInit) => Promise<Response> {
  return async (url, options) => {
    if (options?.method !== undefined && options.method !== 'GET') throw new Error('only documents are fetched');
    const answer = await egress.get({
      url: String(url),
      headers: { accept: 'application/json' },
      maxRedirects: 0,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
    });
    if (answer.status !== 200) {
      await answer.discard();
      throw new EgressRefused('unreachable');
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    const headers = { 'cache-control': one(answer.headers['cache-control']), expires: one(answer.headers['expires']) };
    return new Response(Buffer.concat(chunks), { status: answer.status, headers });
  };
}

const one = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '');
