import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

/** Open subscriptions of one process; each is a connection held open by an anonymous caller. */
const MAX_SUBSCRIPTIONS = 200;
const KEEP_ALIVE_MS = 25_000;

/**
 * `subscriptions/listen`, the one method that streams: the SDK's own handler answers it (decision record 0019). No list
 * change is offered yet, so the acknowledged filter is empty and the subscription ends at once.
 */
export class SdkSubscriptions {
  private readonly handler;

  constructor(serverInfo: { readonly name: string; readonly version: string }) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the low-level server is what its makers advise for a gateway with its own registry
    this.handler = createMcpHandler(() => new Server(serverInfo, { capabilities: { tools: {}, resources: {} } }), {
      legacy: 'reject',
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      keepAliveMs: KEEP_ALIVE_MS,
    });
  }

  /** The stream of one subscription; ends when `signal` says that the connection closed. */
  open(body: unknown, headers: IncomingHttpHeaders, signal: AbortSignal): Promise<Response> {
    const sent = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === 'string' && (name.startsWith('mcp-') || name === 'accept' || name === 'content-type'))
        sent.set(name, value);
    }
    return this.handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers: sent, signal }), {
      parsedBody: body,
    });
  }

  async close(): Promise<void> {
    await this.handler.close();
  }
}
