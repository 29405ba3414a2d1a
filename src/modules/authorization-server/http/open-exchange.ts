import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contextOf, networkOf } from '../../../platform/http/request-context.js';
import { type Exchange, noteExchange } from '../app/exchange.js';
import { bytesOf, typeOf } from './oauth-body.js';

/**
 * A request as the protocol library sees it: at its own root, with its body still to be read, and with everything about
 * proxies said by us. What a caller writes into those headers counts for nothing.
 * @param issuer the issuer identifier, under whose path the library believes itself mounted
 * @param path what is asked below it, where that is not what the caller's path says
 */
export function openExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  issuer: string,
  path = request.url.replace(/^.*?\/oauth(?=[/?])/, ''),
): Exchange {
  const { requestId, traceId } = contextOf(request);
  const { protocol, host, pathname } = new URL(issuer);
  const body = bytesOf(request);
  const copy = Object.assign(Readable.from(body.length === 0 ? [] : [body]), {
    method: request.method,
    url: path,
    originalUrl: `${pathname}${path}`,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    socket: request.raw.socket,
    headers: {
      ...withoutProxies(request.headers),
      ...(body.length === 0 ? {} : { 'content-length': String(body.length), 'content-type': typeOf(request) }),
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-host': host,
      'x-forwarded-for': request.ip,
    },
  });
  return noteExchange({
    request: copy as unknown as IncomingMessage,
    response: reply.raw,
    requestId,
    traceId,
    network: networkOf(request),
  });
}

/** Neither a chunked body, which was read, nor words of proxies. */
function withoutProxies(headers: FastifyRequest['headers']): Record<string, string | string[] | undefined> {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(?:x-forwarded-.*|forwarded|transfer-encoding|content-length|content-type)$/.test(name),
  );
  return Object.fromEntries(kept);
}
