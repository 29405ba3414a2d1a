import type { Socket } from 'node:net';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LogController } from 'fastify';
import { pino } from 'pino';
import { Failure } from '../../kernel/failure/failure.js';
import { newRequestId } from '../../kernel/ids.js';
import { LIMITS } from '../../kernel/limits.js';
import type { Settings } from '../config/settings.js';
import { logOptions } from '../logging/log-options.js';
import { NestLogger } from '../logging/nest-logger.js';
import { AnomalyEdge } from '../limits/anomaly-edge.js';
import { endSlowBodies } from './body-deadline.js';
import { FailureFilter } from './failure-filter.js';
import { parseJsonBody } from './json-body.js';
import type { OriginPolicy } from './origin-policy.js';
import { ORIGIN_POLICY } from './origin-policy.js';
import { traceFields } from './request-context.js';
import { canonicalTarget, isHostRepeated } from './request-target.js';

const REQUEST_TIMEOUT_MS = 600_000; // a 500 MB upload over a slow line
const DRAIN_SWEEP_MS = 50;
const SILENT_SWEEPS = 20; // a second for a request that is on its way
const KEEP_ALIVE_MS = 72_000; // longer than common load balancers keep theirs

/** Builds the HTTP application; nothing listens yet. `prepare` adds body parsers of modules. */
export async function createHttpApp(
  module: DynamicModule,
  settings: Settings,
  prepare: (fastify: FastifyInstance) => void,
): Promise<NestFastifyApplication> {
  const logger = pino(logOptions(settings));
  const lastResort: { filter?: FailureFilter } = {}; // the adapter is made before the container that makes the filter
  const adapter = new FastifyAdapter({
    skipMiddie: true, // no Express-style middleware here; its engine would run for every request
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    childLoggerFactory: (parent: unknown) => parent as never, // a logger per request costs more than the whole dispatch; lines name the request themselves
    trustProxy: settings.TRUSTED_PROXIES.length === 0 ? false : [...settings.TRUSTED_PROXIES],
    bodyLimit: settings.MAX_REQUEST_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 256 },
    rewriteUrl: canonicalTarget,
    frameworkErrors: (error: unknown, request: unknown, reply: unknown) =>
      lastResort.filter?.answer(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler,
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
    forceCloseConnections: false,
  });
  lastResort.filter = app.get(FailureFilter);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  addJsonParser(fastify, settings.MAX_REQUEST_BYTES);
  endSlowBodies(fastify, settings.REQUEST_BODY_TIMEOUT_MS);
  prepare(fastify);
  addEdgeHook(fastify, app.get<OriginPolicy>(ORIGIN_POLICY));
  app.get(AnomalyEdge).guard(fastify);
  if (logger.isLevelEnabled('debug')) addAccessLog(fastify);
  closeAsRequestsEnd(fastify);
  await app.init();
  return app;
}

function addJsonParser(fastify: FastifyInstance, limit: number): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: limit },
    (request, body: Buffer, done) => {
      try {
        if (request.headers['content-encoding'] !== undefined)
          throw new Failure('input.unparsable', { reason: 'unsupported_encoding' });
        done(null, parseJsonBody(body, LIMITS.jsonDepth.value));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

/** PostgreSQL text cannot hold U+0000; no name in a path or query of any contract has it. */
const ESCAPED_NUL = /%00/;

/** Metadata that clients in browsers read before anything else (RFC 9728, RFC 8414): public facts, whoever's page asks. */
const OPEN_TO_ANY_ORIGIN = '/.well-known/oauth-';

/** Every request: names itself in the answer, and has a Host and Origin that are served. Probes come by address. */
function addEdgeHook(fastify: FastifyInstance, origins: OriginPolicy): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const { host, origin } = request.headers;
    if (ESCAPED_NUL.test(request.url)) {
      done(new Failure('route.unknown', { reason: 'malformed_path' }));
      return;
    }
    if (isHostRepeated(request)) {
      refuse(reply, 'host_repeated', 400);
      return;
    }
    if (!request.url.startsWith('/health/') && !origins.servesHost(host)) {
      refuse(reply, 'host_not_allowed');
      return;
    }
    if (origin !== undefined && !request.url.startsWith(OPEN_TO_ANY_ORIGIN)) {
      if (!origins.servesOrigin(origin)) {
        refuse(reply, 'origin_not_allowed');
        return;
      }
      origins.addCorsHeaders(request, reply);
    }
    done();
  });
}

/**
 * Connections that were busy when the drain began are kept alive by their clients: each is closed once it falls idle. To Node
 * one that never sent a byte is not idle: a client that connects ahead of its next request would hold the drain up.
 */
function closeAsRequestsEnd(fastify: FastifyInstance): void {
  const { server } = fastify;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  fastify.addHook('preClose', (done) => {
    let sweeps = 0;
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      if (++sweeps === SILENT_SWEEPS) for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, DRAIN_SWEEP_MS);
    server.once('close', () => {
      clearInterval(sweep);
    });
    done();
  });
}

/** One line a request, for debugging: every call that touches data is in the audit trail anyway. */
function addAccessLog(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    request.log.debug(
      {
        request_id: request.id,
        ...traceFields(request),
        method: request.method,
        route: request.routeOptions.url ?? 'unmatched',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    );
    done();
  });
}

/** The same plain refusal on every surface: it is meant for a browser, which must not read it. */
function refuse(
  reply: FastifyReply,
  error: 'host_not_allowed' | 'host_repeated' | 'origin_not_allowed',
  status = 403,
): void {
  reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify({ error }));
}

const BAD_REQUEST = JSON.stringify({
  data: null,
  meta: { schema: 'v1', outcome: 'failed', cache: 'bypass' },
  error: { code: 'invalid_request', message: 'The request is not valid HTTP.', retryable: false },
});

/** What cannot even be read as HTTP gets a readable refusal and the connection is closed. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(BAD_REQUEST)}\r\nConnection: close\r\n\r\n${BAD_REQUEST}`,
  );
}
