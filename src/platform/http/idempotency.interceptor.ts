import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { actorOfStaff } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { KEYED_WRITES, type KeyedReply, type KeyedWrite, type KeyedWrites } from '../../kernel/ports/keyed-writes.js';
import { databaseFailure } from '../database/database-failure.js';
import { OPERATION_METADATA, type RouteOperation } from './access.js';
import { AdminAudit } from './admin-audit.js';
import { type Envelope, envelopeMeta } from './envelope.js';
import { idempotencyKeyOf, keyedContentOf } from './keyed-request.js';
import { contextOf, type FastifyReply, type FastifyRequest } from './request-context.js';
import { isAdminRoute } from './request-target.js';
import { staffOf } from './staff-request.js';

/** Headers that are part of an answer and come again with it. */
const KEPT_HEADERS = ['etag', 'location'] as const;

/**
 * Every POST of the admin API takes effect once for each Idempotency-Key (decision record 0035). Handlers need nothing for
 * it: what they write through the unit of work, and their answer, are one transaction.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(KEYED_WRITES) private readonly writes: KeyedWrites,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler<Envelope>): Observable<unknown> {
    const http = execution.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (request.method !== 'POST' || !isAdminRoute(request)) return next.handle();
    const operation = this.reflector.get<RouteOperation | undefined>(OPERATION_METADATA, execution.getHandler());
    return from(this.run(operation?.name ?? 'unnamed', request, http.getResponse<FastifyReply>(), next));
  }

  private async run(
    operation: string,
    request: FastifyRequest,
    reply: FastifyReply,
    next: CallHandler<Envelope>,
  ): Promise<Envelope> {
    let answered: Envelope | undefined;
    const end: {
      recorded?: true; // by the handler's own interceptor
      waiting?: Failure; // what was written stays, and the same request may be sent again
    } = {};
    const effect = async (): Promise<KeyedReply> => {
      try {
        answered = await lastValueFrom(next.handle());
        return replyOf(reply, answered);
      } catch (error) {
        end.recorded = true;
        if (!isRecorded(error)) throw error;
        end.waiting = error;
        return NOT_KEPT;
      }
    };
    try {
      const { outcome, reply: kept } = await this.writes.run(writeOf(operation, request), effect);
      if (end.waiting !== undefined) throw end.waiting;
      if (outcome === 'first' && answered !== undefined) return answered;
      await this.audit.replayed(contextOf(request), operation);
      reply.code(kept.status).headers(kept.headers);
      return { data: kept.data, meta: envelopeMeta(contextOf(request), 'replayed'), error: null };
    } catch (error) {
      const failure = Failure.from(databaseFailure(error));
      if (end.recorded !== true) await this.recordFailure(request, operation, failure);
      throw failure;
    }
  }

  private async recordFailure(request: FastifyRequest, operation: string, failure: Failure): Promise<void> {
    try {
      await this.audit.failed(contextOf(request), operation, failure);
    } catch (error) {
      // The trail is away together with the store of keys. Nothing was run, and the answer says so.
      if (failure.code !== 'idempotency.store_down') throw error;
    }
  }
}

const NOT_KEPT: KeyedReply = { status: 202, headers: {}, data: null, kept: false };

/** A failure that was committed with its audit record: an action that asked for approval. */
const isRecorded = (error: unknown): error is Failure => error instanceof Failure && error.context.recorded === true;

/** @throws Failure `input.precondition` without a usable key. */
function writeOf(operation: string, request: FastifyRequest): KeyedWrite {
  const key = idempotencyKeyOf(request);
  const staff = staffOf(request);
  const { actorKind, actor } = actorOfStaff(staff);
  const { organizationId } = staff;
  const { requestId } = contextOf(request);
  return {
    organizationId,
    owner: `${actorKind}:${actor}`,
    operation,
    key,
    requestId,
    content: keyedContentOf(request),
  };
}

function replyOf(reply: FastifyReply, { data }: Envelope): KeyedReply {
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = reply.getHeader(name);
    if (typeof value === 'string') headers[name] = value;
  }
  return { status: reply.statusCode, headers, data };
}
