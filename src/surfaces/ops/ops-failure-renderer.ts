import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../../kernel/failure/failure.js';
import { envelopeMeta } from '../../platform/http/envelope.js';
import type { FailureRenderer } from '../../platform/http/failure-renderer.js';
import { contextOf } from '../../platform/http/request-context.js';
import { toOpsError } from './ops-error.js';

/** Words failures in the ops envelope: the admin API, and every path that no protocol surface claims. */
export class OpsFailureRenderer implements FailureRenderer {
  /** @param adminMetadataUrl where the metadata of the admin API is, for its challenges (RFC 9728 §5.1) */
  constructor(private readonly adminMetadataUrl: string) {}

  claims(): boolean {
    return true;
  }

  render(failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
    const context = contextOf(request);
    const { status, error } = toOpsError(failure, context.requestId);
    if (error.retry_after_ms !== undefined) reply.header('retry-after', String(Math.ceil(error.retry_after_ms / 1000)));
    if (status === 401) reply.header('www-authenticate', this.challengeOf(failure));
    reply
      .code(status)
      .header('x-request-id', context.requestId)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ data: null, meta: envelopeMeta(context, status === 202 ? 'pending' : 'failed'), error }));
  }

  /** Without an error where nothing was presented (RFC 6750 §3.1). */
  private challengeOf({ code }: Failure): string {
    const error = code === 'caller.unauthenticated' ? '' : 'error="invalid_token", ';
    return `Bearer ${error}resource_metadata="${this.adminMetadataUrl}"`;
  }
}
