import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Failure } from '../../kernel/failure/failure.js';
import type { RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { RATE_LIMITER } from '../../kernel/ports/rate-limiter.js';
import type { GatewayIdentity } from '../../operations/gateway-identity.js';
import { GATEWAY_IDENTITY } from '../../operations/gateway-identity.js';
import type { FastifyRequest } from '../../platform/http/request-context.js';
import { networkOf } from '../../platform/http/request-context.js';

/** Public documents count on the allowance that anonymous tool calls of the same network have. */
@Injectable()
export class DocumentLimitGuard implements CanActivate {
  constructor(
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
    @Inject(GATEWAY_IDENTITY) private readonly identity: GatewayIdentity,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const network = networkOf(execution.switchToHttp().getRequest<FastifyRequest>());
    const waitMs = await this.limiter.take(`anonymous:${network}`, this.identity.pipeline.anonymousCallsPerMinute);
    if (waitMs !== undefined) throw new Failure('limit.rate_exceeded', { retryAfterMs: waitMs });
    return true;
  }
}
