import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../../kernel/failure/failure.js';
import type { Clock } from '../../kernel/time.js';
import type { FailureRenderer } from '../../platform/http/failure-renderer.js';
import { contextOf } from '../../platform/http/request-context.js';
import { toDapError } from './dap-error.js';
import { idOf, RPC } from './json-rpc.js';
import type { ResultWriter } from './result-writer.js';

const MCP_PATH = /^(?:\/organizations\/[^/]+)?\/mcp(?:\/underscore)?\/?$/;

/** HTTP status and JSON-RPC code of failures that are not a tool's result (MCP transports; decision record 0011). */
function wireOf(failure: Failure): { readonly status: number; readonly code: number } {
  const reason = failure.context.reason;
  switch (failure.code) {
    case 'input.unparsable':
      if (reason === 'unsupported_media_type') return { status: 415, code: RPC.invalidRequest };
      return { status: 400, code: reason === 'nesting_too_deep' ? RPC.invalidRequest : RPC.parseError };
    case 'input.too_large':
      return { status: 413, code: RPC.invalidRequest };
    case 'caller.unauthenticated':
    case 'caller.credential_invalid':
      return { status: 401, code: RPC.refused };
    case 'grant.scope_insufficient':
    case 'grant.tenant_forbidden':
    case 'caller.role_forbidden':
      return { status: 403, code: RPC.refused };
    case 'resource.not_found':
    case 'feature.not_configured':
    case 'route.unknown':
      return { status: 404, code: RPC.refused };
    case 'limit.rate_exceeded':
    case 'limit.busy':
      return { status: 429, code: RPC.refused };
    case 'upstream.unavailable':
      return { status: 503, code: RPC.refused };
    default:
      return { status: 500, code: RPC.internalError };
  }
}

/** Words failures of the MCP endpoints that ended before or outside a tool: JSON-RPC errors with the DAP object as data. */
export class McpFailureRenderer implements FailureRenderer {
  constructor(
    private readonly writer: ResultWriter,
    private readonly clock: Clock,
  ) {}

  claims(path: string): boolean {
    return MCP_PATH.test(path);
  }

  render(failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
    const { traceId, requestId } = contextOf(request);
    const { status, code } = wireOf(failure);
    const data = toDapError(failure, { traceId, now: this.clock.now() });
    if (data.retry_after_ms !== undefined && status !== 500)
      reply.header('retry-after', String(Math.ceil(data.retry_after_ms / 1000)));
    reply
      .code(status)
      .header('x-request-id', requestId)
      .header('content-type', 'application/json; charset=utf-8')
      .send(this.writer.error(idOf(request.body), { code, message: failure.message, data }));
  }
}
