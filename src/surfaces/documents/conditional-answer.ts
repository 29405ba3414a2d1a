import type { FastifyReply, FastifyRequest } from '../../platform/http/request-context.js';

/** How long anyone may keep a publication before asking again whether it changed. */
const CACHE_CONTROL = 'public, max-age=60, must-revalidate';

/**
 * Answers HEAD, and GET of what the caller has already (RFC 9110 §13.1.2), from the entity tag alone.
 * @returns true when the reply is sent; otherwise the headers are set and the body is due.
 */
export async function answeredByTag(
  request: FastifyRequest,
  reply: FastifyReply,
  tag: string,
  contentType: string,
): Promise<boolean> {
  const etag = `"${tag}"`;
  reply.header('etag', etag).header('cache-control', CACHE_CONTROL);
  if (namesTag(request.headers['if-none-match'], etag)) {
    await reply.code(304).send();
    return true;
  }
  reply.header('content-type', contentType);
  if (request.method !== 'HEAD') return false;
  await reply.send();
  return true;
}

/** Weak comparison, as If-None-Match asks for. */
function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
