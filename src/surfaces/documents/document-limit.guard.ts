import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Failure } from '../../kernel/failure/failure.js';
import type { RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { RATE_LIMITER } from '../../kernel/ports/rate-limiter.js';
import type { GatewayIdentity } from '../../operations/gateway-identity.js';
import { GATEWAY_IDENTITY } from '../../operations/gateway-identity.js';
import { anonymousAllowance } from '../../operations/call-allowances.js';
import type { FastifyReply, FastifyRequest } from '../../platform/http/request-context.js';
import { networkOf } from '../../platform/http/request-context.js';
import { rateLimitFields } from '../../platform/limits/rate-limit-fields.js';

/** Public documents count on the allowance that anonymous tool calls of the same network have. */
@Injectable()
export class DocumentLimitGuard implements CanActivate {
  constructor(
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
    @Inject(GATEWAY_IDENTITY) private readonly identity: GatewayIdentity,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const http = execution.switchToHttp();
    const network = networkOf(http.getRequest<FastifyRequest>());
    const verdict = await this.limiter.take([anonymousAllowance(network, this.identity.pipeline)]);
    http.getResponse<FastifyReply>().headers(rateLimitFields(verdict));
    if (!verdict.allowed) throw new Failure('limit.rate_exceeded', { retryAfterMs: verdict.waitMs });
    return true;
  }
}
