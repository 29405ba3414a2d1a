import type { Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { whoOf } from '../../kernel/ports/probing-watch.js';

/** How many streams one caller of a process, and all of them together, may hold open at the same time. */
export interface StreamLimits {
  readonly ofCaller: number;
  readonly ofAll: number;
}

/** Streams that are open now, by who holds them: a network, where nobody says who it is, or an agent, in all its networks. */
export class OpenStreams {
  private readonly held = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: StreamLimits) {}

  /**
   * Counts a stream until its connection closes.
   * @throws Failure `limit.rate_exceeded` for a caller who holds as many as it may, `limit.busy` when all do; both before
   *   anything of the stream has been sent.
   */
  hold(caller: Caller, organizationId: string, closed: AbortSignal): void {
    const who = holderOf(caller, organizationId);
    const held = this.held.get(who) ?? 0;
    if (held >= this.limits.ofCaller) throw new Failure('limit.rate_exceeded', { auditReason: 'streams_of_caller' });
    if (this.total >= this.limits.ofAll) throw new Failure('limit.busy', { auditReason: 'streams' });
    if (closed.aborted) return;
    this.held.set(who, held + 1);
    this.total++;
    closed.addEventListener('abort', () => this.release(who), { once: true });
  }

  private release(who: string): void {
    this.total--;
    const left = (this.held.get(who) ?? 1) - 1;
    if (left === 0) this.held.delete(who);
    else this.held.set(who, left);
  }
}

function holderOf(caller: Caller, organizationId: string): string {
  if (caller.kind === 'agent') return whoOf.agent(organizationId, caller.subject);
  return caller.kind === 'anonymous' ? whoOf.network(caller.network) : caller.kind;
}
