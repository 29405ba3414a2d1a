import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../../kernel/failure/failure.js';
import type { FailureCode } from '../../kernel/failure/registry.js';
import { retryHintMs } from '../../kernel/failure/retry-hint.js';
import type { FailureRenderer } from '../../platform/http/failure-renderer.js';

const CLAIMED = '/.well-known/oauth-protected-resource';

/** Clients try one place after the other and go on at 404 alone (RFC 9728 §3, MCP authorization). */
const STATUS: Partial<Record<FailureCode, number>> = {
  'resource.not_found': 404,
  'route.unknown': 404,
  'limit.rate_exceeded': 429,
  'limit.busy': 429,
  'upstream.unavailable': 503,
};

/** Words failures of resource metadata: its readers know neither the ops envelope nor JSON-RPC. */
export class MetadataFailureRenderer implements FailureRenderer {
  claims(path: string): boolean {
    return path.startsWith(CLAIMED);
  }

  render(failure: Failure, _request: FastifyRequest, reply: FastifyReply): void {
    const status = STATUS[failure.code] ?? 500;
    if (status === 429 || status === 503) reply.header('retry-after', String(Math.ceil(retryHintMs(failure) / 1000)));
    reply
      .code(status)
      .header('access-control-allow-origin', '*')
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ error: status === 404 ? 'not_found' : 'unavailable', message: failure.message }));
  }
}
