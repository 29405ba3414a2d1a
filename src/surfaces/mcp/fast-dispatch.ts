import { ProtocolFault, RPC } from './json-rpc.js';
import type { DispatchedAnswer, DispatchedRequest, McpDispatch } from './mcp-dispatch.js';
import type { OfferedTools } from './offered-tools.js';
import type { ProtocolDocuments } from './protocol-documents.js';
import type { ResourceReads } from './resource-reads.js';
import type { ResultWriter } from './result-writer.js';
import { LATEST_LEGACY_REVISION, isLegacyRevision } from './revisions.js';
import type { ToolCalls } from './tool-calls.js';
import { hasOwnNames } from './tool-names.js';

type Handler = (request: DispatchedRequest) => DispatchedAnswer | Promise<DispatchedAnswer>;

/** The parts that every dispatch answers from. */
export interface DispatchParts {
  readonly calls: ToolCalls;
  readonly reads: ResourceReads;
  readonly offered: OfferedTools;
  readonly documents: ProtocolDocuments;
}

/**
 * Our own dispatch for everything that is one request and one answer (decision record 0011): no object per request, lists
 * serialised once, answers put together from bytes.
 */
export class FastDispatch implements McpDispatch {
  private readonly modern: ReadonlyMap<string, Handler>;
  private readonly legacy: ReadonlyMap<string, Handler>;

  constructor(
    private readonly parts: DispatchParts,
    private readonly writer: ResultWriter,
  ) {
    const { documents } = parts;
    const shared: [string, Handler][] = [
      ['tools/call', (r) => this.callTool(r)],
      ['tools/list', (r) => this.listTools(r)],
      ['resources/list', (r) => this.list(r, documents.resources(r.era))],
      ['resources/templates/list', (r) => this.list(r, documents.resourceTemplates(r.era))],
      ['resources/read', (r) => this.readResource(r)],
    ];
    this.modern = new Map([
      ...shared,
      ['server/discover', (r): DispatchedAnswer => this.ok(r, documents.discovery(r.names, hasOwnNames(r.caller)))],
    ]);
    this.legacy = new Map<string, Handler>([
      ...shared,
      ['initialize', (r): DispatchedAnswer => this.initialize(r)],
      ['ping', (r): DispatchedAnswer => this.ok(r, '')],
    ]);
  }

  async dispatch(request: DispatchedRequest): Promise<DispatchedAnswer> {
    const handler = this[request.era].get(request.request.method);
    if (handler === undefined)
      throw new ProtocolFault(request.era === 'modern' ? 404 : 200, RPC.methodNotFound, 'Method not found.');
    return handler(request);
  }

  private async callTool(dispatched: DispatchedRequest): Promise<DispatchedAnswer> {
    const { id } = dispatched.request;
    const outcome = await this.parts.calls.call(dispatched);
    if ('answer' in outcome) {
      const { body, cache } = outcome.answer;
      return { id, status: 200, body: this.writer.toolResult(id, dispatched.era, body, cache) };
    }
    const { error, structured, headers } = outcome;
    const body = this.writer.toolError(id, dispatched.era, error, structured);
    return { id, status: 200, body, ...(headers === undefined ? {} : { headers }) };
  }

  private async readResource(dispatched: DispatchedRequest): Promise<DispatchedAnswer> {
    const { uri, answer } = await this.parts.reads.read(dispatched);
    const { ttlMs, scope } = answer.cache ?? { ttlMs: 0, scope: 'private' };
    const cache = dispatched.era === 'modern' ? `,"ttlMs":${ttlMs},"cacheScope":"${scope}"` : '';
    return this.ok(
      dispatched,
      `"contents":[{"uri":${JSON.stringify(uri)},"mimeType":"application/json","text":"${answer.body.escaped.toString('utf8')}"}]${cache}`,
    );
  }

  private async listTools(dispatched: DispatchedRequest): Promise<DispatchedAnswer> {
    const offering = await this.parts.offered.of(dispatched.organizationId, dispatched.caller);
    return this.list(dispatched, this.parts.documents.tools(offering, dispatched.era, dispatched.names));
  }

  /** Lists are one page; any cursor is one we did not issue. */
  private list(dispatched: DispatchedRequest, members: string): DispatchedAnswer {
    if (dispatched.request.params['cursor'] !== undefined)
      throw new ProtocolFault(200, RPC.invalidParams, 'The cursor is not valid.');
    return this.ok(dispatched, members);
  }

  private initialize(dispatched: DispatchedRequest): DispatchedAnswer {
    const asked = dispatched.request.params['protocolVersion'];
    const revision = typeof asked === 'string' && isLegacyRevision(asked) ? asked : LATEST_LEGACY_REVISION;
    return this.ok(dispatched, this.parts.documents.initialization(revision, dispatched.names));
  }

  private ok({ request, era }: DispatchedRequest, members: string): DispatchedAnswer {
    return { id: request.id, status: 200, body: this.writer.result(request.id, era, members) };
  }
}
