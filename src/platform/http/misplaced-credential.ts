import { Failure } from '../../kernel/failure/failure.js';
import type { FastifyRequest } from './request-context.js';

/**
 * A token in the query ends up in logs and histories (RFC 6750 §2.3, MCP authorization): it is refused, never used. Of two
 * headers Node hands on the first, and a proxy in front may have looked at the other: both are refused.
 * @throws Failure `caller.credential_invalid`.
 */
export function refuseMisplaced(request: FastifyRequest): void {
  if (request.url.includes('?') && 'access_token' in (request.query as object))
    throw new Failure('caller.credential_invalid', { auditReason: 'token_in_query' });
  if (request.headers.authorization === undefined) return;
  const { rawHeaders } = request.raw;
  let named = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'authorization') named++;
  if (named > 1) throw new Failure('caller.credential_invalid', { auditReason: 'credential_repeated' });
}
