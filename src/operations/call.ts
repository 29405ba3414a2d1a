import type { Caller } from '../kernel/caller.js';
import type { RateVerdict } from '../kernel/ports/rate-limiter.js';
import type { AuditRecord } from '../kernel/ports/audit-recorder.js';
import type { TraceContext } from '../kernel/trace-context.js';
import type { Operation } from './operation.js';

/** One call of one operation, as a surface hands it over: protocol matters are settled, nothing is decided. */
export interface Call {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly endpointOrganizationId: string;
  readonly input: unknown;
  readonly surface: AuditRecord['surface'];
  readonly requestId: string;
  readonly traceId: string;
  /** What the caller says this call is part of; for log lines and upstream calls only. */
  readonly trace?: TraceContext | undefined;
  /** Told what is left of the caller's allowances, so that the answer can say it, also when the call is refused. */
  readonly rated?: ((verdict: RateVerdict) => void) | undefined;
  /** Aborts when the caller hangs up, where that ends the call (decision record 0011). Asked for by calls that may take long. */
  readonly closed?: (() => AbortSignal) | undefined;
}
