import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch, HttpException, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../kernel/failure/failure.js';
import { databaseFailure } from '../database/database-failure.js';
import { AnomalyEdge } from '../limits/anomaly-edge.js';
import type { FailureRenderer } from './failure-renderer.js';
import { FAILURE_RENDERERS } from './failure-renderer.js';
import { traceFields } from './request-context.js';

/**
 * The filter of last resort: whatever was thrown becomes a Failure, is logged once with its cause when it is ours, and is
 * worded by the surface that the path belongs to.
 */
@Catch()
@Injectable()
export class FailureFilter implements ExceptionFilter {
  constructor(
    @Inject(FAILURE_RENDERERS) private readonly renderers: readonly FailureRenderer[],
    @Inject(AnomalyEdge) private readonly anomalies: AnomalyEdge,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Also called by Fastify for requests that it refuses before routing. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const failure = toFailure(error);
    if (failure.code.startsWith('internal.')) {
      request.log.error(
        { request_id: request.id, ...traceFields(request), err: failure.cause ?? failure, error_id: failure.errorId },
        'unexpected failure',
      );
    }
    this.anomalies.failed(request, failure.code);
    if (reply.sent) return;
    const path = request.url.split('?', 1)[0] ?? '/';
    const renderer = this.renderers.find((r) => r.claims(path));
    if (renderer === undefined) throw new Error('no surface words failures of this path');
    renderer.render(failure, request, reply);
  }
}

const FASTIFY_CODES: Readonly<Record<string, () => Failure>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Failure('input.too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Failure('input.unparsable', { reason: 'unsupported_media_type' }),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new Failure('input.unparsable', { reason: 'empty_body' }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Failure('input.unparsable', { reason: 'unsupported_encoding' }),
  FST_ERR_BAD_URL: () => new Failure('route.unknown', { reason: 'malformed_path' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new Failure('route.unknown', { reason: 'malformed_path' }),
  FST_ERR_ASYNC_CONSTRAINT: () => new Failure('route.unknown', { reason: 'unknown_route' }),
};

/** Nest's and Fastify's own errors in our words; anything else is unexpected. */
function toFailure(error: unknown): Failure {
  const known = databaseFailure(error);
  if (known instanceof Failure) return known;
  const code = (error as { code?: unknown } | null)?.code;
  const made = typeof code === 'string' ? FASTIFY_CODES[code] : undefined;
  if (made !== undefined) return made();
  if (error instanceof HttpException && error.getStatus() === 404)
    return new Failure('route.unknown', { reason: 'unknown_route' });
  if (error instanceof HttpException && error.getStatus() === 413) return new Failure('input.too_large');
  if (error instanceof HttpException && error.getStatus() === 415)
    return new Failure('input.unparsable', { reason: 'unsupported_media_type' });
  return Failure.from(error);
}
