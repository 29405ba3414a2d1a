import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { DispatchParts } from './fast-dispatch.js';
import type { DispatchedAnswer, DispatchedRequest, McpDispatch } from './mcp-dispatch.js';
import { MODERN_REVISION } from './revisions.js';
import type { SdkExchange } from './sdk-server.js';
import { sdkServer } from './sdk-server.js';

const ENDPOINT = 'http://localhost/mcp';

/**
 * The SDK's handler behind the same port and before the same operation table (decision record 0027). It checks each request
 * again by its own reading of the protocol, and is what can stream and ask back; it costs several times a fast answer.
 */
export class SdkDispatch implements McpDispatch {
  private readonly handler;
  private readonly exchanges = new WeakMap<Request, SdkExchange>();

  constructor(
    private readonly parts: DispatchParts,
    private readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string },
  ) {
    this.handler = createMcpHandler(
      ({ requestInfo }) => {
        const exchange = requestInfo === undefined ? undefined : this.exchanges.get(requestInfo);
        if (exchange === undefined) throw new Error('a request came to the SDK by another way');
        return sdkServer(parts, serverInfo, exchange);
      },
      { legacy: 'reject' },
    );
  }

  async dispatch(dispatched: DispatchedRequest): Promise<DispatchedAnswer> {
    const exchange: SdkExchange = { dispatched };
    const response = await this.exchange(exchange, sdkHeadersOf(dispatched));
    if (exchange.thrown !== undefined) throw exchange.thrown as Error;
    const { id } = dispatched.request;
    const headers = exchange.headers === undefined ? {} : { headers: exchange.headers };
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
      return { id, status: response.status, stream: response, ...headers };
    return { id, status: response.status, body: Buffer.from(await response.arrayBuffer()), ...headers };
  }

  /** Hands a request over to the SDK with the headers it is to judge by. */
  async exchange(exchange: SdkExchange, headers: Headers): Promise<Response> {
    const { request: parsedBody, era, closed } = exchange.dispatched;
    const request = new Request(ENDPOINT, { method: 'POST', headers, signal: closed() });
    if (era === 'modern') {
      this.exchanges.set(request, exchange);
      return this.handler.fetch(request, { parsedBody });
    }
    const server = sdkServer(this.parts, this.serverInfo, exchange);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  }

  async close(): Promise<void> {
    await this.handler.close();
  }
}

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The edge has compared headers and body; the SDK is given what the body says. */
export function sdkHeadersOf({ request, era, revision }: DispatchedRequest): Headers {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era === 'modern' ? MODERN_REVISION : revision,
  });
  if (era === 'legacy') return headers;
  headers.set('mcp-method', request.method);
  const named = request.method === 'resources/read' ? request.params['uri'] : request.params['name'];
  if (typeof named === 'string')
    headers.set('mcp-name', PRINTABLE.test(named) ? named : `=?base64?${Buffer.from(named).toString('base64')}?=`);
  return headers;
}
