import type { ExecutionContext } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { ThrottlerRequest } from '@nestjs/throttler';
import { Failure } from '../../kernel/failure/failure.js';
import type { FastifyReply, FastifyRequest } from './request-context.js';
import { networkOf } from './request-context.js';
import { isAdminRoute } from './request-target.js';

const ALLOWED = Promise.resolve(true);

/**
 * Limits admin calls for each network before credentials are looked at, so that guessing keys is slow. Protocol surfaces
 * are limited in the pipeline instead, where the limit can be answered in the protocol's own words.
 */
@Injectable()
export class AdminThrottlerGuard extends ThrottlerGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    return isAdminRoute(context.switchToHttp().getRequest()) ? super.canActivate(context) : ALLOWED;
  }

  /** One allowance for the whole admin API, not one a handler, told in the `RateLimit` fields of every answer. */
  protected override async handleRequest({ context, limit, ttl, throttler }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const key = networkOf(http.getRequest<FastifyRequest>());
    const name = throttler.name ?? 'admin';
    const hit = await this.storageService.increment(key, ttl, limit, ttl, name);
    http.getResponse<FastifyReply>().headers({
      'ratelimit-policy': `"${name}";q=${limit};w=${Math.ceil(ttl / 1000)}`,
      ratelimit: `"${name}";r=${Math.max(0, limit - hit.totalHits)};t=${hit.timeToExpire}`,
    });
    if (hit.isBlocked) throw new Failure('limit.rate_exceeded', { retryAfterMs: hit.timeToBlockExpire * 1000 });
    return true;
  }
}
