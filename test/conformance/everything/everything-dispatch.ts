import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { DispatchedAnswer, DispatchedRequest, McpDispatch } from '../../../src/surfaces/mcp/mcp-dispatch.js';
import { SUPPORTED_REVISIONS } from '../../../src/surfaces/mcp/revisions.js';
import { sdkHeadersOf } from '../../../src/surfaces/mcp/sdk-dispatch.js';
import { addPrompts } from './prompt-fixtures.js';
import { addResources } from './resource-fixtures.js';
import { addRoundTripTools, requestState } from './round-trip-fixtures.js';
import { addTools } from './tool-fixtures.js';

const NO_INPUT = fromJsonSchema<Record<string, never>>({ type: 'object', properties: {} });

/**
 * A server of the SDK that offers everything the suite asks for, behind the product's HTTP layer, identity and era rules. It
 * proves those; it says nothing of the product's own tools and is never quoted as their score.
 */
export class EverythingDispatch implements McpDispatch {
  private readonly handler = createMcpHandler(() => this.server());

  async dispatch(dispatched: DispatchedRequest): Promise<DispatchedAnswer> {
    const response = await this.open(dispatched);
    const { id } = dispatched.request;
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
      return { id, status: response.status, stream: response };
    const body = await response.text();
    const isDiscovery = dispatched.request.method === 'server/discover';
    return { id, status: response.status, body: Buffer.from(isDiscovery ? withAllRevisions(body) : body) };
  }

  /** Also `subscriptions/listen`, in place of the product's own subscriptions. */
  open(dispatched: DispatchedRequest): Promise<Response> {
    const headers = sdkHeadersOf(dispatched);
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, signal: dispatched.closed() });
    return this.handler.fetch(request, { parsedBody: dispatched.request });
  }

  /** The fixtures' lists change when a tool is called, and then at once. */
  deliverChanges(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return this.handler.close();
  }

  private server(): McpServer {
    const server = new McpServer(
      { name: 'everything', version: '0.0.0' },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: { listChanged: true },
          logging: {},
          completions: {},
        },
        requestState: { verify: (state, context) => requestState.verify(state, context) },
      },
    );
    addTools(server);
    addRoundTripTools(server);
    addResources(server);
    addPrompts(server);
    this.addTriggers(server);
    server.server.setRequestHandler('logging/setLevel', () => ({}));
    return server;
  }

  private addTriggers(server: McpServer): void {
    const triggers = new Map<string, () => void>([
      ['tool', () => this.handler.notify.toolsChanged()],
      ['prompt', () => this.handler.notify.promptsChanged()],
    ]);
    for (const [kind, tell] of triggers)
      server.registerTool(
        `test_trigger_${kind}_change`,
        { description: `Fixture: says that the list of each ${kind} changed.`, inputSchema: NO_INPUT },
        () => {
          tell();
          return { content: [{ type: 'text', text: 'told' }] };
        },
      );
  }
}

/** The SDK's server knows of the newest revision alone; the endpoint that it stands behind serves the older ones, too. */
function withAllRevisions(body: string): string {
  const answer = JSON.parse(body) as { result?: { supportedVersions?: readonly string[] } };
  if (answer.result?.supportedVersions !== undefined) answer.result.supportedVersions = SUPPORTED_REVISIONS;
  return JSON.stringify(answer);
}
