import type { FastifyInstance } from 'fastify';
import { actorOfStaff } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import type { FailureCode } from '../../kernel/failure/registry.js';
import { whoOf, type ProbingWatch } from '../../kernel/ports/probing-watch.js';
import { contextOf, networkOf, type FastifyRequest } from '../http/request-context.js';
import type { CredentialThrottle } from './credential-throttle.js';

/** Where requests meet the anomaly throttles: refused before their bodies are read, observed as they fail. */
export class AnomalyEdge {
  constructor(
    private readonly credentials: CredentialThrottle,
    private readonly probing: ProbingWatch,
  ) {}

  /** Milliseconds that a request has to wait before it is looked at; 0 when it may go on. Platform probes always may. */
  pausedMs(request: FastifyRequest): number {
    const { authorization } = request.headers;
    const network = networkOf(request);
    if (authorization !== undefined) return this.credentials.pausedMs(network, authorization);
    return request.url.startsWith('/health/') ? 0 : this.probing.pausedMs(whoOf.network(network));
  }

  /** Told of every failure that a request ended in outside the pipeline, which watches over its own. */
  failed(request: FastifyRequest, code: FailureCode): void {
    const { authorization } = request.headers;
    if (authorization === undefined) this.probing.ended(whoOf.network(networkOf(request)), code);
    else if (code === 'caller.credential_invalid') void this.credentials.failed(networkOf(request), authorization);
    const { caller } = contextOf(request);
    if (caller !== undefined) this.probing.ended(whoOf.staff(actorOfStaff(caller).actor), code);
  }

  /** Told of a credential that was verified. */
  proved(request: FastifyRequest): void {
    const { authorization } = request.headers;
    if (authorization !== undefined) this.credentials.proved(networkOf(request), authorization);
  }

  /** Refuses at the edge who has to wait: nothing is parsed or looked up for it. */
  guard(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const retryAfterMs = this.pausedMs(request);
      if (retryAfterMs === 0) done();
      else done(new Failure('limit.rate_exceeded', { retryAfterMs }));
    });
  }
}
