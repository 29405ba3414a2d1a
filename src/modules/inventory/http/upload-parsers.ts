import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../../kernel/failure/failure.js';

const UPLOAD_PATH = /^\/admin\/v1\/feeds\/[^/?]+\/files(?:\?|$)/;
const FEED_TYPES = new Set([
  'text/csv',
  'text/tab-separated-values',
  'text/plain',
  'text/xml',
  'application/xml',
  'application/json',
  'application/octet-stream',
  'application/csv',
]);
/** Stands for every feed type once the route is known; nobody else may send it. */
const RAW_FEED = 'application/x-forecourt-feed';

/**
 * Lets the upload route, and no other, receive its body as a stream, whatever feed type it has: a feed file is stored while
 * it arrives and never held in memory. Its size is bounded where it is stored.
 */
export function registerUploadParsers(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isUpload(request)) request.headers['content-type'] = feedType(request) ? RAW_FEED : 'application/x-unsupported';
    done();
  });
  fastify.addContentTypeParser(RAW_FEED, (request, payload, done) => {
    if (isUpload(request)) done(null, payload);
    else done(new Failure('input.unparsable', { reason: 'unsupported_media_type' }));
  });
}

function isUpload(request: FastifyRequest): boolean {
  return request.method === 'POST' && UPLOAD_PATH.test(request.url);
}

function feedType(request: FastifyRequest): boolean {
  if (request.headers['content-encoding'] !== undefined) return false;
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return FEED_TYPES.has(type);
}
