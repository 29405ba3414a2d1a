import { setTimeout as pause } from 'node:timers/promises';

const META_VERSION = 'io.modelcontextprotocol/protocolVersion';

/** One JSON-RPC message of a client, or a batch of 2025-03-26. */
export interface ClientMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Pauses before trying again while the gateway does not take connections: it may be restarting. */
const RETRY_PAUSES_MS: readonly number[] = [100, 400, 1500];
const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Speaks to a running gateway over HTTP, in the era of each message (MCP transports, streamable HTTP). */
export class GatewayClient {
  /** What `initialize` settled on; older requests name it in a header. */
  private revision: string | undefined;

  constructor(
    private readonly url: string,
    private readonly token: string | undefined,
  ) {}

  /**
   * Posts one message. A connection that could not be made, or was cut before an answer, is tried again: every tool of this
   * protocol reads.
   * @throws what fetch throws when the gateway stays away, or when `signal` aborts.
   */
  async post(message: ClientMessage | readonly unknown[], signal: AbortSignal): Promise<Response> {
    const init = {
      method: 'POST',
      headers: this.headersOf(message),
      body: JSON.stringify(message),
      signal,
      redirect: 'error', // a token must not follow a redirect to another place
    } as const;
    for (const wait of RETRY_PAUSES_MS) {
      try {
        return await fetch(this.url, init);
      } catch (error) {
        if (!NOT_CONNECTED.has(causeCodeOf(error))) throw error;
        await pause(wait, undefined, { signal });
      }
    }
    return fetch(this.url, init);
  }

  /** Remembers the revision that `initialize` was answered with. */
  settle(result: unknown): void {
    const version = (result as { protocolVersion?: unknown } | undefined)?.protocolVersion;
    if (typeof version === 'string') this.revision = version;
  }

  private headersOf(message: ClientMessage | readonly unknown[]): Record<string, string> {
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
      ...('length' in message ? this.olderHeaders() : (modernHeadersOf(message) ?? this.olderHeaders(message.method))),
    };
  }

  private olderHeaders(method?: unknown): Record<string, string> {
    return this.revision === undefined || method === 'initialize' ? {} : { 'mcp-protocol-version': this.revision };
  }
}

const causeCodeOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' ? cause.code : '';
};

/** The revision that a message claims for itself; undefined in the older era. */
export function claimedRevision({ params }: ClientMessage): string | undefined {
  const meta = params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
  const version = meta?.[META_VERSION];
  return typeof version === 'string' ? version : undefined;
}

/** The headers that 2026-07-28 wants equal to the body. */
function modernHeadersOf(message: ClientMessage): Record<string, string> | undefined {
  const version = claimedRevision(message);
  if (version === undefined) return undefined;
  const { method, params } = message;
  const named = method === 'resources/read' ? params?.['uri'] : params?.['name'];
  return {
    'mcp-protocol-version': headerSafe(version),
    'mcp-method': headerSafe(String(method)),
    ...(typeof named === 'string' ? { 'mcp-name': headerSafe(named) } : {}),
  };
}

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Values that a header cannot hold travel encoded (MCP transports, header encoding). */
const headerSafe = (value: string): string =>
  PRINTABLE.test(value) && !value.startsWith('=?') ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
