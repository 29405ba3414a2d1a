import { Failure } from '../../kernel/failure/failure.js';
import type { Clock } from '../../kernel/time.js';
import type { Answer, Operation } from '../../operations/operation.js';
import type { Pipeline } from '../../operations/pipeline.js';
import type { DapError } from './dap-error.js';
import { toDapError } from './dap-error.js';
import { ProtocolFault, RPC } from './json-rpc.js';
import type { DispatchedRequest } from './mcp-dispatch.js';
import type { OfferedTools } from './offered-tools.js';

/** What a tool call came to: an answer, or an error that the model has to see. */
export type ToolOutcome =
  | { readonly answer: Answer }
  | {
      readonly error: DapError;
      /** Whether the error is structured content, too, as DAP has it, or text alone. */
      readonly structured: boolean;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** `tools/call` without its wire form; every dispatch answers from here. */
export class ToolCalls {
  constructor(
    private readonly offered: OfferedTools,
    private readonly pipeline: Pipeline,
    private readonly clock: Clock,
    /** Off for clients that hold the structured content of errors against a tool's output schema (MCP_ERRORS). */
    private readonly structured: boolean,
  ) {}

  /**
   * @throws ProtocolFault for a name or arguments that are none, and for a tool that is not offered.
   * @throws Failure for refusals of identity, which are HTTP's business, and for what nobody expected.
   */
  async call(dispatched: DispatchedRequest): Promise<ToolOutcome> {
    const { name, arguments: input } = dispatched.request.params;
    if (typeof name !== 'string') throw new ProtocolFault(200, RPC.invalidParams, 'params.name must be a string.');
    if (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))
      throw new ProtocolFault(200, RPC.invalidParams, 'params.arguments must be an object.');
    const found = this.offered.find(dispatched.organizationId, name);
    const operation = found instanceof Promise ? await found : found;
    if (operation === undefined) throw this.unknownTool(dispatched.traceId);
    try {
      return { answer: await this.execute(operation, dispatched, input ?? {}) };
    } catch (error) {
      return this.failed(Failure.from(error), dispatched.traceId);
    }
  }

  /** Runs any operation of the table for this request. */
  execute(operation: Operation, dispatched: DispatchedRequest, input: unknown): Promise<Answer> {
    const { caller, organizationId, requestId, traceId, trace, era, rated, closed } = dispatched;
    return this.pipeline.run({
      operation,
      caller,
      endpointOrganizationId: organizationId,
      input,
      surface: 'mcp',
      requestId,
      traceId,
      trace,
      rated,
      // Hanging up cancels in the modern era; older revisions say that it must not be read as that.
      closed: era === 'modern' ? closed : undefined,
    });
  }

  private failed(failure: Failure, traceId: string): ToolOutcome {
    if (REFUSED_BY_HTTP.has(failure.code)) throw failure;
    const error = toDapError(failure, { traceId, now: this.clock.now() });
    const { structured } = this;
    if (!failure.code.startsWith('limit.') || error.retry_after_ms === undefined) return { error, structured };
    return { error, structured, headers: { 'retry-after': String(Math.ceil(error.retry_after_ms / 1000)) } };
  }

  private unknownTool(traceId: string): ProtocolFault {
    const failure = new Failure('capability.unsupported');
    return new ProtocolFault(
      200,
      RPC.invalidParams,
      'Unknown tool.',
      toDapError(failure, { traceId, now: this.clock.now() }),
    );
  }
}

/** 401, 403 with a challenge, and 500 (decision record 0011); everything else is a result that the model can read. */
const REFUSED_BY_HTTP: ReadonlySet<string> = new Set([
  'caller.unauthenticated',
  'caller.credential_invalid',
  'grant.scope_insufficient',
  'internal.unexpected',
]);
