import type { FastifyRequest } from 'fastify';
import type { LoggerOptions } from 'pino';
import type { Settings } from '../config/settings.js';

/**
 * Structured logs on standard output. What could hold a secret or customer data is never logged: no headers, no query, no
 * body, no address (DAP-SEC-011). Redaction is the second net, for objects that someone logs by mistake.
 */
export function logOptions(settings: Pick<Settings, 'LOG_LEVEL'>): LoggerOptions {
  return {
    level: settings.LOG_LEVEL,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
    serializers: {
      req: (request: FastifyRequest) => ({
        id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unmatched',
      }),
      res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
      err: serializeError,
    },
  };
}

const SECRET_NAMES = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'cursor',
  'key',
  'DATABASE_URL',
  'FORECOURT_SECRET',
  'REDIS_URL',
  'connectionString',
];

/** Type, message and stack of an error and its causes; connection strings in messages are cut out. */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: typeof error };
  return {
    type: error.name,
    message: withoutUrls(error.message),
    stack: withoutUrls(error.stack ?? ''),
    ...(error.cause === undefined || depth > 3 ? {} : { cause: serializeError(error.cause, depth + 1) }),
  };
}

const withoutUrls = (text: string): string =>
  text.replaceAll(/\b(postgres(?:ql)?|rediss?|https?):\/\/\S+@/g, '$1://[redacted]@');
