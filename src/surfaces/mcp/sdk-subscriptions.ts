import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { createMcpHandler, InMemoryServerEventBus, Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { LIMITS } from '../../kernel/limits.js';
import type { RevocableKind, Revocations } from '../../kernel/ports/revocations.js';
import type { Clock } from '../../kernel/time.js';
import type { DispatchedRequest } from './mcp-dispatch.js';
import type { OfferedTools } from './offered-tools.js';
import { OpenStreams } from './open-streams.js';
import { MODERN_CAPABILITIES } from './protocol-documents.js';
import { sdkHeadersOf } from './sdk-dispatch.js';

const KEEP_ALIVE_MS = 25_000;

/** Subscribers that are shown one list, and what it held when they were told last. */
interface Audience {
  readonly organizationId: string;
  /** One of them: they are all anonymous, or all showed the same credential for the same version of a grant. */
  readonly caller: Caller;
  readonly handler: McpHttpHandler;
  readonly bus: InMemoryServerEventBus;
  offering: string;
}

/**
 * `subscriptions/listen`, the one method that streams: the SDK's own handler answers it (decision record 0019). Subscribers
 * are told when the list that they are shown changes. The streams of a grant end with it, and with the credential.
 */
export class SdkSubscriptions {
  private readonly audiences = new Map<string, Audience>();
  private readonly streams = new OpenStreams({
    ofCaller: LIMITS.subscriptionsOfCaller.value,
    ofAll: LIMITS.subscriptions.value,
  });

  constructor(
    private readonly offered: OfferedTools,
    private readonly serverInfo: { readonly name: string; readonly version: string },
    private readonly clock: Clock,
    private readonly revocations: Revocations,
  ) {}

  /**
   * The stream of one subscription; it ends when the connection closes.
   * @throws Failure `limit.rate_exceeded` when the caller holds too many, `limit.busy` when too many are open.
   */
  async open(dispatched: DispatchedRequest): Promise<Response> {
    const { organizationId, caller, request, closed } = dispatched;
    const { key } = await this.offered.of(organizationId, caller); // before the acknowledgement: later changes are news
    const hungUp = closed();
    this.streams.hold(caller, organizationId, hungUp);
    const audience =
      this.audiences.get(audienceKey(organizationId, caller)) ?? this.audienceOf(organizationId, caller, key);
    const headers = sdkHeadersOf(dispatched);
    return audience.handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, signal: hungUp }), {
      parsedBody: request,
    });
  }

  /** Compares what is offered with what subscribers know, and tells them. Called every second or so. */
  async deliverChanges(): Promise<void> {
    for (const [name, audience] of [...this.audiences]) {
      const key =
        audience.bus.listenerCount === 0 || this.hasEnded(audience.caller) ? undefined : await this.keyOf(audience);
      if (key === undefined) {
        this.audiences.delete(name);
        await audience.handler.close();
        continue;
      }
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

  /** What an audience is shown now; undefined where its organization is not served any more. */
  private async keyOf({ organizationId, caller, offering }: Audience): Promise<string | undefined> {
    try {
      return (await this.offered.of(organizationId, caller)).key;
    } catch (error) {
      return Failure.from(error).code === 'resource.not_found' ? undefined : offering; // what is not known is no change
    }
  }

  /** Without I/O: an end counts here as fast as for calls (decision record 0037). */
  private hasEnded(caller: Caller): boolean {
    if (caller.kind !== 'agent') return false;
    const { grant, client, credentialId, issuerTrustId } = caller;
    const now = this.clock.now();
    const ended = (kind: RevocableKind, id: string | undefined): boolean => {
      const end = id === undefined ? undefined : this.revocations.endOf(kind, grant.organizationId, id);
      return end !== undefined && end <= now;
    };
    const delegationId = grant.rooftops.kind === 'group' ? grant.rooftops.delegationId : undefined;
    return (
      grant.expiresAt <= now ||
      ended('grant', grant.grantId) ||
      ended('delegation', delegationId) ||
      ended('issuer', issuerTrustId) ||
      ended(client === undefined ? 'key' : 'agent_client', credentialId)
    );
  }

  private audienceOf(organizationId: string, caller: Caller, offering: string): Audience {
    const bus = new InMemoryServerEventBus();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the low-level server is what its makers advise for a gateway with its own registry
    const handler = createMcpHandler(() => new Server(this.serverInfo, { capabilities: MODERN_CAPABILITIES }), {
      legacy: 'reject',
      bus,
      maxSubscriptions: LIMITS.subscriptions.value,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    const audience = { organizationId, caller, handler, bus, offering };
    this.audiences.set(audienceKey(organizationId, caller), audience);
    return audience;
  }
}

function audienceKey(organizationId: string, caller: Caller): string {
  return caller.kind === 'agent'
    ? JSON.stringify([
        organizationId,
        caller.grant.grantId,
        caller.grant.version,
        caller.grant.keyScopes,
        caller.credentialId,
      ])
    : organizationId;
}
