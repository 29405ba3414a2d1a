import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { map } from 'rxjs';
import type { RequestContext } from './request-context.js';
import { contextOf, elapsedMs } from './request-context.js';

/** The `meta` member of every ops answer. */
export interface EnvelopeMeta {
  readonly schema: 'v1';
  readonly request_id: string;
  readonly outcome: 'succeeded' | 'replayed' | 'pending' | 'failed';
  readonly cache: 'bypass' | 'hit' | 'miss' | 'stale';
  readonly latency_ms: { readonly hub: number };
}

export function envelopeMeta(context: RequestContext, outcome: EnvelopeMeta['outcome']): EnvelopeMeta {
  return { schema: 'v1', request_id: context.requestId, outcome, cache: 'bypass', latency_ms: { hub: elapsedMs(context) } };
}

/** Puts the value of an admin handler into the ops envelope. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = contextOf(context.switchToHttp().getRequest<FastifyRequest>());
    return next.handle().pipe(map((data: unknown) => ({ data: data ?? null, meta: envelopeMeta(request, 'succeeded'), error: null })));
  }
}
