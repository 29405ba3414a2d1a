import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { catchError, defer, mergeMap } from 'rxjs';
import { Failure } from '../../kernel/failure/failure.js';
import { databaseFailure } from '../database/database-failure.js';
import type { RouteOperation } from './access.js';
import { OPERATION_METADATA } from './access.js';
import { AdminAudit } from './admin-audit.js';
import { AdminCursors } from './admin-cursors.js';
import { PendingAction, type PendingError, pendingError } from './pending-action.js';
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
  readonly error: PendingError | null;
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
    @Inject(AdminCursors) private readonly cursors: AdminCursors,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = execution.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const context = contextOf(request);
    const reply = http.getResponse<FastifyReply>();
    const operation = this.reflector.get<RouteOperation | undefined>(OPERATION_METADATA, execution.getHandler());
    const handled = defer(() => {
      if (request.method === 'GET') this.cursors.open(request);
      return next.handle();
    });
    return handled.pipe(
      mergeMap(async (data: unknown) => {
        if (data instanceof PendingAction) return pendingEnvelope(data, context, reply);
        if (operation?.audit === 'read') await this.audit.read(context, operation.name);
        const shown = this.cursors.seal(request, data ?? null);
        return { data: shown, meta: envelopeMeta(context, 'succeeded'), error: null };
      }),
      catchError(async (error: unknown) => {
        const failure = Failure.from(databaseFailure(error));
        if (operation !== undefined && operation.audit !== 'none' && failure.context.recorded !== true)
          await this.audit.failed(context, operation.name, failure);
        throw failure;
      }),
    );
  }
}

/** 202: the draft is there, its audit record too, and people are missing (hub contract, `approval_pending`). */
function pendingEnvelope({ draft, approval }: PendingAction, context: RequestContext, reply: FastifyReply): Envelope {
  const error = pendingError(approval, context.requestId);
  reply.code(202).header('retry-after', String(Math.ceil(error.retry_after_ms / 1000)));
  const data = { ...draft, approval: { ...error.details, poll_after_ms: error.retry_after_ms } };
  return { data, meta: envelopeMeta(context, 'pending'), error };
}
