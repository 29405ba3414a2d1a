import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { createMcpHandler, InMemoryServerEventBus, Server } from '@modelcontextprotocol/server';
import { Failure } from '../../kernel/failure/failure.js';
import type { DispatchedRequest } from './mcp-dispatch.js';
import type { OfferedTools } from './offered-tools.js';
import { MODERN_CAPABILITIES } from './protocol-documents.js';
import { sdkHeadersOf } from './sdk-dispatch.js';

/** Open subscriptions of one process; each is a connection held open by an anonymous caller. */
const MAX_SUBSCRIPTIONS = 200;
const KEEP_ALIVE_MS = 25_000;

/** The subscribers of one organization, and the tool list that they know. */
interface Audience {
  readonly handler: McpHttpHandler;
  readonly bus: InMemoryServerEventBus;
  offering: string;
}

/**
 * `subscriptions/listen`, the one method that streams: the SDK's own handler answers it (decision record 0019). Subscribers
 * are told when the tools that their organization offers change.
 */
export class SdkSubscriptions {
  private readonly audiences = new Map<string, Audience>();

  constructor(
    private readonly offered: OfferedTools,
    private readonly serverInfo: { readonly name: string; readonly version: string },
  ) {}

  /**
   * The stream of one subscription; it ends when the connection closes.
   * @throws Failure `limit.busy` when too many are open.
   */
  async open(dispatched: DispatchedRequest): Promise<Response> {
    const { organizationId, request, closed } = dispatched;
    const { key } = await this.offered.of(organizationId); // before the acknowledgement: later changes are news
    if (this.openCount >= MAX_SUBSCRIPTIONS) throw new Failure('limit.busy');
    const audience = this.audiences.get(organizationId) ?? this.audienceOf(organizationId, key);
    const headers = sdkHeadersOf(dispatched);
    return audience.handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, signal: closed() }), {
      parsedBody: request,
    });
  }

  /** Compares what is offered with what subscribers know, and tells them. Called every second or so. */
  async deliverChanges(): Promise<void> {
    for (const [organizationId, audience] of this.audiences) {
      if (audience.bus.listenerCount === 0) {
        this.audiences.delete(organizationId);
        await audience.handler.close();
        continue;
      }
      const { key } = await this.offered.of(organizationId);
      if (key === audience.offering) continue;
      audience.offering = key;
      audience.handler.notify.toolsChanged();
    }
  }

  /** Every stream gets its last frame. */
  async close(): Promise<void> {
    await Promise.all([...this.audiences.values()].map(({ handler }) => handler.close()));
    this.audiences.clear();
  }

  /** Streams that are open now. */
  get openCount(): number {
    let count = 0;
    for (const { bus } of this.audiences.values()) count += bus.listenerCount;
    return count;
  }

  private audienceOf(organizationId: string, offering: string): Audience {
    const bus = new InMemoryServerEventBus();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the low-level server is what its makers advise for a gateway with its own registry
    const handler = createMcpHandler(() => new Server(this.serverInfo, { capabilities: MODERN_CAPABILITIES }), {
      legacy: 'reject',
      bus,
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    const audience = { handler, bus, offering };
    this.audiences.set(organizationId, audience);
    return audience;
  }
}
