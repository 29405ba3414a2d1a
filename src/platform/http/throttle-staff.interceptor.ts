import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { actorOfStaff } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { PROBING_WATCH, whoOf, type ProbingWatch } from '../../kernel/ports/probing-watch.js';
import { RATE_LIMITER, type RateBucket, type RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { AnomalyEdge } from '../limits/anomaly-edge.js';
import { rateLimitFields } from '../limits/rate-limit-fields.js';
import type { FastifyReply, FastifyRequest } from './request-context.js';
import { contextOf } from './request-context.js';

/** Limits admin calls for each key or person of staff, once it is known who calls: a key has one allowance in all networks. */
@Injectable()
export class StaffThrottlerInterceptor implements NestInterceptor {
  constructor(
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
    @Inject(PROBING_WATCH) private readonly probing: ProbingWatch,
    @Inject(AnomalyEdge) private readonly anomalies: AnomalyEdge,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async intercept(execution: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = execution.switchToHttp();
    const { caller } = contextOf(http.getRequest<FastifyRequest>());
    if (caller === undefined) return next.handle();
    this.anomalies.proved(http.getRequest<FastifyRequest>());
    const { actorKind, actor } = actorOfStaff(caller);
    const pausedMs = this.probing.pausedMs(whoOf.staff(actor));
    if (pausedMs > 0) throw new Failure('limit.rate_exceeded', { retryAfterMs: pausedMs });
    const bucket: RateBucket = {
      policy: 'key',
      key: `${actorKind}:${actor}`,
      limit: this.settings.ADMIN_KEY_CALLS_PER_MINUTE,
    };
    const verdict = await this.limiter.take([bucket]);
    addFields(http.getResponse<FastifyReply>(), rateLimitFields(verdict));
    if (!verdict.allowed) throw new Failure('limit.rate_exceeded', { retryAfterMs: verdict.waitMs });
    return next.handle();
  }
}

/** Beside what the network's allowance has said already: the fields are lists. */
function addFields(reply: FastifyReply, fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const said = reply.getHeader(name);
    reply.header(name, said === undefined ? value : `${String(said)}, ${value}`);
  }
}
