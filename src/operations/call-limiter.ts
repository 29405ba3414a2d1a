import { Failure } from '../kernel/failure/failure.js';
import type { FailureCode } from '../kernel/failure/registry.js';
import { whoOf, type ProbingWatch } from '../kernel/ports/probing-watch.js';
import type { RateLimiter } from '../kernel/ports/rate-limiter.js';
import type { Call } from './call.js';
import { allowancesOf, type CallLimits } from './call-allowances.js';

/** Whether a call may be made now: by its caller's allowances, and by what its caller has been asking for. */
export class CallLimiter {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly probing: ProbingWatch,
    private readonly limits: CallLimits,
  ) {}

  /** Counts the call once on everything that it falls under. @throws Failure `limit.rate_exceeded`. */
  async admit(call: Call): Promise<void> {
    const who = whoCalls(call);
    if (who === undefined) return;
    const pausedMs = this.probing.pausedMs(who);
    if (pausedMs > 0) throw new Failure('limit.rate_exceeded', { retryAfterMs: pausedMs, auditReason: 'probing' });
    const taken = this.limiter.take(allowancesOf(call, this.limits));
    const verdict = taken instanceof Promise ? await taken : taken;
    call.rated?.(verdict);
    if (!verdict.allowed) throw new Failure('limit.rate_exceeded', { retryAfterMs: verdict.waitMs });
  }

  /** Told of calls that failed. */
  failed(call: Call, code: FailureCode): void {
    const who = whoCalls(call);
    if (who !== undefined) this.probing.ended(who, code);
  }
}

function whoCalls({ caller, endpointOrganizationId }: Call): string | undefined {
  if (caller.kind === 'anonymous') return whoOf.network(caller.network);
  return caller.kind === 'agent' ? whoOf.agent(endpointOrganizationId, caller.subject) : undefined;
}
