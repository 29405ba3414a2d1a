import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';

const OAUTH_PATH = /^\/oauth\//;
/** Stands for every type once the route is known; nobody else may send it. */
const RAW_BODY = 'application/x-forecourt-oauth';
const types = new WeakMap<FastifyRequest, string | undefined>();

/**
 * Hands the bodies of the authorization server over as bytes, bounded and unparsed: its protocol library and its forms read
 * them themselves. No other route learns to take forms.
 */
export function registerOAuthParser(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isOAuthPost(request) && request.headers['content-encoding'] === undefined) {
      types.set(request, request.headers['content-type']);
      request.headers['content-type'] = RAW_BODY;
    }
    done();
  });
  const bodyLimit = LIMITS.registrationBytes.value;
  fastify.addContentTypeParser(RAW_BODY, { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
    if (isOAuthPost(request)) done(null, body);
    else done(new Failure('input.unparsable', { reason: 'unsupported_media_type' }));
  });
}

/** The type that the caller sent. */
export const typeOf = (request: FastifyRequest): string | undefined => types.get(request);

/** The fields of a form. @throws Failure `input.unparsable` for anything else. */
export function formOf(request: FastifyRequest): URLSearchParams {
  if (typeOf(request)?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new Failure('input.unparsable', { reason: 'unsupported_media_type' });
  return new URLSearchParams(bytesOf(request).toString('utf8'));
}

export const bytesOf = (request: FastifyRequest): Buffer =>
  Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);

const isOAuthPost = (request: FastifyRequest): boolean => request.method === 'POST' && OAUTH_PATH.test(request.url);
