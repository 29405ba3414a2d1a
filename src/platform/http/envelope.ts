import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { catchError, mergeMap } from 'rxjs';
import { Failure } from '../../kernel/failure/failure.js';
import { databaseFailure } from '../database/database-failure.js';
import type { RouteOperation } from './access.js';
import { OPERATION_METADATA } from './access.js';
import { AdminAudit } from './admin-audit.js';
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

/** A successful ops answer. */
export interface Envelope {
  readonly data: unknown;
  readonly meta: EnvelopeMeta;
  readonly error: null;
}

export function envelopeMeta(context: RequestContext, outcome: EnvelopeMeta['outcome']): EnvelopeMeta {
  return {
    schema: 'v1',
    request_id: context.requestId,
    outcome,
    cache: 'bypass',
    latency_ms: { hub: elapsedMs(context) },
  };
}

/** Puts the value of an admin handler into the ops envelope, after what must be audited has been. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const context = contextOf(execution.switchToHttp().getRequest<FastifyRequest>());
    const operation = this.reflector.get<RouteOperation | undefined>(OPERATION_METADATA, execution.getHandler());
    return next.handle().pipe(
      mergeMap(async (data: unknown) => {
        if (operation?.audit === 'read') await this.audit.read(context, operation.name);
        return { data: data ?? null, meta: envelopeMeta(context, 'succeeded'), error: null };
      }),
      catchError(async (error: unknown) => {
        const failure = Failure.from(databaseFailure(error));
        if (operation !== undefined && operation.audit !== 'none')
          await this.audit.failed(context, operation.name, failure);
        throw failure;
      }),
    );
  }
}
