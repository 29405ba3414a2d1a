import { Failure } from '../../kernel/failure/failure.js';
import type { Clock } from '../../kernel/time.js';
import type { OperationCatalog } from '../../operations/catalog.js';
import type { Answer } from '../../operations/operation.js';
import { toDapError } from './dap-error.js';
import { ProtocolFault, RPC } from './json-rpc.js';
import type { DispatchedRequest } from './mcp-dispatch.js';
import type { ResourceTable } from './resource-table.js';
import type { ToolCalls } from './tool-calls.js';

/** `resources/read` without its wire form: each read is a call of the operation behind it, decided and recorded like one. */
export class ResourceReads {
  constructor(
    private readonly catalog: OperationCatalog,
    private readonly calls: ToolCalls,
    private readonly clock: Clock,
    private readonly table: ResourceTable,
  ) {}

  /**
   * @throws ProtocolFault: not found, for what is absent, foreign and no resource alike; or the refusal in DAP's words.
   * @throws Failure for refusals of identity and for what nobody expected.
   */
  async read(dispatched: DispatchedRequest): Promise<{ readonly uri: string; readonly answer: Answer }> {
    const { uri } = dispatched.request.params;
    if (typeof uri !== 'string') throw new ProtocolFault(200, RPC.invalidParams, 'params.uri must be a string.');
    const named = this.table.read(uri);
    const operation = named === undefined ? undefined : this.catalog.find(named.operation);
    if (named === undefined || operation === undefined)
      throw this.fault(new Failure('resource.not_found', { reason: 'not_found' }), dispatched);
    try {
      return { uri, answer: await this.calls.execute(operation, dispatched, named.input) };
    } catch (error) {
      throw this.fault(Failure.from(error), dispatched);
    }
  }

  private fault(failure: Failure, { era, traceId }: DispatchedRequest): ProtocolFault {
    if (failure.code === 'internal.unexpected' || failure.code === 'caller.unauthenticated') throw failure;
    if (failure.code === 'grant.scope_insufficient') throw failure;
    const absent = failure.code.endsWith('.not_found');
    const shown = absent ? new Failure('resource.not_found', { reason: 'not_found' }) : failure;
    const data = toDapError(shown, { traceId, now: this.clock.now() });
    if (!absent) return new ProtocolFault(200, RPC.refused, failure.message, data);
    const code = era === 'modern' ? RPC.invalidParams : RPC.legacyResourceNotFound;
    return new ProtocolFault(200, code, 'Resource not found.', data);
  }
}
