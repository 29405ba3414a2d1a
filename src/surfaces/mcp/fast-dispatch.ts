import type { Clock } from '../../kernel/time.js';
import { Failure } from '../../kernel/failure/failure.js';
import type { Answer, Operation } from '../../operations/operation.js';
import type { OperationCatalog } from '../../operations/catalog.js';
import type { Pipeline } from '../../operations/pipeline.js';
import { toDapError } from './dap-error.js';
import { ProtocolFault, RPC } from './json-rpc.js';
import type { DispatchedAnswer, DispatchedRequest, McpDispatch } from './mcp-dispatch.js';
import type { ProtocolDocuments } from './protocol-documents.js';
import type { ResultWriter } from './result-writer.js';
import { LATEST_LEGACY_REVISION, isLegacyRevision } from './revisions.js';

const MANIFEST_URI = 'dealeragent://manifest';
type Handler = (request: DispatchedRequest) => DispatchedAnswer | Promise<DispatchedAnswer>;

/**
 * Our own dispatch for everything that is one request and one answer (decision record 0011): no object per request, lists
 * serialised once, answers put together from bytes.
 */
export class FastDispatch implements McpDispatch {
  private readonly modern: ReadonlyMap<string, Handler>;
  private readonly legacy: ReadonlyMap<string, Handler>;

  constructor(
    private readonly catalog: OperationCatalog,
    private readonly pipeline: Pipeline,
    private readonly documents: ProtocolDocuments,
    private readonly writer: ResultWriter,
    private readonly clock: Clock,
  ) {
    const shared: [string, Handler][] = [
      ['tools/call', (r) => this.callTool(r)],
      ['tools/list', (r) => this.list(r, this.documents.tools(r.era))],
      ['resources/list', (r) => this.list(r, this.documents.resources(r.era))],
      ['resources/templates/list', (r) => this.list(r, this.documents.resourceTemplates(r.era))],
      ['resources/read', (r) => this.readResource(r)],
    ];
    this.modern = new Map([
      ...shared,
      ['server/discover', (r): DispatchedAnswer => this.ok(r, this.documents.discovery())],
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
    const { request, era } = dispatched;
    const { name, arguments: input } = request.params;
    if (typeof name !== 'string') throw new ProtocolFault(200, RPC.invalidParams, 'params.name must be a string.');
    if (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))
      throw new ProtocolFault(200, RPC.invalidParams, 'params.arguments must be an object.');
    const operation = this.catalog.find(name);
    if (operation === undefined) throw this.unknownTool(dispatched.traceId);
    try {
      const answer = await this.execute(operation, dispatched, input ?? {});
      return { id: request.id, status: 200, body: this.writer.toolResult(request.id, era, answer.body, answer.cache) };
    } catch (error) {
      return this.failedTool(dispatched, Failure.from(error));
    }
  }

  private execute(operation: Operation, dispatched: DispatchedRequest, input: unknown): Promise<Answer> {
    const { caller, organizationId, requestId, traceId } = dispatched;
    return this.pipeline.run({
      operation,
      caller,
      endpointOrganizationId: organizationId,
      input,
      surface: 'mcp',
      requestId,
      traceId,
    });
  }

  /** Refusals of identity are HTTP's business; everything else is a result that the model can read (decision record 0011). */
  private failedTool({ request, era, traceId }: DispatchedRequest, failure: Failure): DispatchedAnswer {
    if (failure.code === 'caller.unauthenticated' || failure.code === 'internal.unexpected') throw failure;
    const error = toDapError(failure, { traceId, now: this.clock.now() });
    const retryAfter =
      failure.code.startsWith('limit.') && error.retry_after_ms !== undefined
        ? { headers: { 'retry-after': String(Math.ceil(error.retry_after_ms / 1000)) } }
        : {};
    return { id: request.id, status: 200, body: this.writer.toolError(request.id, era, error), ...retryAfter };
  }

  private unknownTool(traceId: string): ProtocolFault {
    return new ProtocolFault(
      200,
      RPC.invalidParams,
      'Unknown tool.',
      toDapError(new Failure('capability.unsupported'), { traceId, now: this.clock.now() }),
    );
  }

  private async readResource(dispatched: DispatchedRequest): Promise<DispatchedAnswer> {
    const { request, era, traceId } = dispatched;
    const operation =
      request.params['uri'] === MANIFEST_URI ? this.catalog.find('dealeragent.discovery.get_manifest') : undefined;
    if (operation === undefined) throw this.unknownResource(dispatched);
    try {
      const answer = await this.execute(operation, dispatched, {});
      const cache =
        era === 'modern' && answer.cache !== undefined
          ? `,"ttlMs":${answer.cache.ttlMs},"cacheScope":"${answer.cache.scope}"`
          : '';
      return this.ok(
        dispatched,
        `"contents":[{"uri":"${MANIFEST_URI}","mimeType":"application/json","text":"${answer.body.escaped.toString('utf8')}"}]${cache}`,
      );
    } catch (error) {
      const failure = Failure.from(error);
      if (failure.code === 'internal.unexpected') throw failure;
      throw new ProtocolFault(
        200,
        RPC.refused,
        failure.message,
        toDapError(failure, { traceId, now: this.clock.now() }),
      );
    }
  }

  private unknownResource({ era, traceId }: DispatchedRequest): ProtocolFault {
    const data = toDapError(new Failure('resource.not_found', { reason: 'not_found' }), {
      traceId,
      now: this.clock.now(),
    });
    return new ProtocolFault(
      200,
      era === 'modern' ? RPC.invalidParams : RPC.legacyResourceNotFound,
      'Resource not found.',
      data,
    );
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
    return this.ok(dispatched, this.documents.initialization(revision));
  }

  private ok({ request, era }: DispatchedRequest, members: string): DispatchedAnswer {
    return { id: request.id, status: 200, body: this.writer.result(request.id, era, members) };
  }
}
