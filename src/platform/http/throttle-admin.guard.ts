import type { ExecutionContext } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { ThrottlerLimitDetail } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../kernel/failure/failure.js';
import { networkOf } from './request-context.js';

const ALLOWED = Promise.resolve(true);

/**
 * Limits admin calls for each network before credentials are looked at, so that guessing keys is slow. Protocol surfaces
 * are limited in the pipeline instead, where the limit can be answered in the protocol's own words.
 */
@Injectable()
export class AdminThrottlerGuard extends ThrottlerGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { url } = context.switchToHttp().getRequest<FastifyRequest>();
    return url.startsWith('/admin/') ? super.canActivate(context) : ALLOWED;
  }

  protected override getTracker(request: FastifyRequest): Promise<string> {
    return Promise.resolve(networkOf(request));
  }

  protected override generateKey(_context: ExecutionContext, tracker: string, name: string): string {
    return `${name}:${tracker}`; // one allowance for the whole admin API, not one a handler
  }

  protected override throwThrottlingException(_context: ExecutionContext, detail: ThrottlerLimitDetail): Promise<void> {
    throw new Failure('limit.rate_exceeded', { retryAfterMs: detail.timeToBlockExpire * 1000 });
  }
}
