import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { isPublicAddress } from './address-policy.js';
import { EgressRefused } from './egress-refused.js';
import { guardedLookup, type Resolve } from './guarded-lookup.js';

export interface EgressRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxRedirects: number;
  readonly maxBytes: number;
  /** For everything: resolving, connecting, redirects and the whole body. */
  readonly timeoutMs: number;
}

/** A small document for another system. Redirects are not followed: they would carry it, and a credential, elsewhere. */
export type EgressPost = Omit<EgressRequest, 'maxRedirects'> &
  (
    | { readonly json: unknown }
    | { readonly form: Readonly<Record<string, string>> }
    // As it is: what was signed must arrive byte for byte.
    | { readonly text: string; readonly type: string }
  );

export interface EgressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  /** To be read to its end or closed. @throws EgressRefused `too_large`, `timeout`, `unreachable`. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Instead of reading the body: lets the connection go. */
  discard(): Promise<void>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const CONNECT_MS = 10_000;

type Answer = Awaited<ReturnType<typeof request>>;

/**
 * Fetches from the public internet on behalf of a configuration that a customer wrote: https only, to public addresses
 * only, after every redirect again. The exempted `host:port` values serve local installations and tests; they may be
 * private and speak http.
 */
export class EgressClient {
  private readonly exempt: ReadonlySet<string>;
  private readonly guarded: Agent;
  private readonly open: Agent;

  /** @param authorities PEM certificates instead of Node's own, for the other side's certificate. */
  constructor(exemptHosts: readonly string[] = [], resolve?: Resolve, authorities?: readonly string[]) {
    this.exempt = new Set(exemptHosts.map((host) => host.toLowerCase()));
    const connect = { timeout: CONNECT_MS, ...(authorities === undefined ? {} : { ca: [...authorities] }) };
    this.open = new Agent({ connect, maxHeaderSize: 16_384 });
    this.guarded = new Agent({ connect: { ...connect, lookup: guardedLookup(resolve) }, maxHeaderSize: 16_384 });
  }

  /** @throws EgressRefused */
  async get(wanted: EgressRequest): Promise<EgressAnswer> {
    const signal = AbortSignal.timeout(wanted.timeoutMs);
    let url = parseUrl(wanted.url);
    for (let redirects = 0; ; redirects++) {
      const answer = await this.once(url, wanted, signal);
      if (!REDIRECTS.has(answer.statusCode)) return answerOf(answer, url, wanted.maxBytes, signal);
      await dump(answer);
      if (redirects >= wanted.maxRedirects) throw new EgressRefused('too_many_redirects');
      url = redirected(answer, url);
    }
  }

  /** @throws EgressRefused, for a redirect too. */
  async post(wanted: EgressPost): Promise<EgressAnswer> {
    const signal = AbortSignal.timeout(wanted.timeoutMs);
    const url = parseUrl(wanted.url);
    const [type, body] = bodyOf(wanted);
    const headers = { ...wanted.headers, 'content-type': type };
    const answer = await this.once(url, { ...wanted, headers }, signal, body);
    if (!REDIRECTS.has(answer.statusCode)) return answerOf(answer, url, wanted.maxBytes, signal);
    await dump(answer);
    throw new EgressRefused('too_many_redirects');
  }

  async close(): Promise<void> {
    await Promise.all([this.guarded.destroy(), this.open.destroy()]);
  }

  private async once(
    url: URL,
    { headers, maxBytes }: Pick<EgressRequest, 'headers' | 'maxBytes'>,
    signal: AbortSignal,
    body?: string,
  ): Promise<Answer> {
    const exempt = this.exempt.has(hostAndPort(url));
    if (!exempt) checkUrl(url);
    try {
      const answer = await request(url, {
        dispatcher: exempt ? this.open : this.guarded,
        headers: { ...headers, 'accept-encoding': 'identity' },
        signal,
        ...(body === undefined ? {} : { method: 'POST' as const, body }),
      });
      answer.body.on('error', () => undefined); // whoever reads learns it; giving up early is no error
      if (Number(answer.headers['content-length'] ?? 0) > maxBytes) {
        await dump(answer);
        throw new EgressRefused('too_large');
      }
      return answer;
    } catch (error) {
      throw refusalOf(error, signal);
    }
  }
}

function bodyOf(wanted: EgressPost): readonly [type: string, body: string] {
  if ('text' in wanted) return [wanted.type, wanted.text];
  if ('form' in wanted) return ['application/x-www-form-urlencoded', new URLSearchParams(wanted.form).toString()];
  return ['application/json', JSON.stringify(wanted.json)];
}

function answerOf(answer: Answer, url: URL, maxBytes: number, signal: AbortSignal): EgressAnswer {
  return {
    status: answer.statusCode,
    headers: answer.headers,
    url,
    body: bounded(answer, maxBytes, signal),
    discard: () => dump(answer),
  };
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new EgressRefused('url_invalid');
  return new URL(text);
}

/** Literal addresses never pass through the lookup, so they are judged here. */
function checkUrl(url: URL): void {
  if (url.protocol !== 'https:') throw new EgressRefused('scheme_refused');
  if (url.username !== '' || url.password !== '') throw new EgressRefused('credentials_in_url');
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw new EgressRefused('address_refused');
}

function hostAndPort(url: URL): string {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return `${url.hostname.toLowerCase()}:${port}`;
}

function redirected(answer: Answer, from: URL): URL {
  const { location } = answer.headers;
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) throw new EgressRefused('redirect_invalid');
  return new URL(location, from);
}

/** Reads a small rest, so that the connection can be used again, or closes it. */
async function dump(answer: Answer): Promise<void> {
  await answer.body.dump({ limit: 16_384 }).catch(() => undefined);
}

async function* bounded(
  answer: Answer,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoding = answer.headers['content-encoding'];
  let bytes = 0;
  try {
    if (encoding !== undefined && encoding !== 'identity') throw new EgressRefused('encoding_refused');
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new EgressRefused('too_large');
      yield chunk;
    }
  } catch (error) {
    throw refusalOf(error, signal);
  } finally {
    answer.body.destroy();
  }
}

/** Undici wraps what the lookup threw; the whole-time limit shows as an abort. */
function refusalOf(error: unknown, signal: AbortSignal): EgressRefused {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth++) {
    if (current instanceof EgressRefused) return current;
  }
  if (signal.aborted) return new EgressRefused('timeout', error);
  const code = (error as { code?: unknown } | null)?.code;
  return new EgressRefused(typeof code === 'string' && code.includes('TIMEOUT') ? 'timeout' : 'unreachable', error);
}
