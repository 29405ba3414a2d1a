import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../../kernel/failure/failure.js';

/** Port: how one surface words a failure that never reached its handler. The ops surface takes what no other claims. */
export interface FailureRenderer {
  claims(path: string): boolean;
  render(failure: Failure, request: FastifyRequest, reply: FastifyReply): void;
}

export const FAILURE_RENDERERS = Symbol('FailureRenderer[]');
