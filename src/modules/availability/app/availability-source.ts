import type { TraceContext } from '../../../kernel/trace-context.js';
import type { RooftopSettings } from '../../tenancy/index.js';

/** A system of the dealer that answers for the current state of units, by the rooftop's settings. */
export type ConfiguredSource = NonNullable<RooftopSettings['availability_source']>;

/** One unit, named in the ways in which a dealer's system may know it. Nothing about who asks leaves with it. */
export interface SourceQuestion {
  readonly source: ConfiguredSource;
  readonly rooftopId: string;
  readonly vin: string;
  readonly stockNumber: string;
  /** Links the call in the logs of both sides; never an identity. */
  readonly trace: TraceContext | undefined;
}

/** The answer as it came, unread; or that the system has no such unit any more. */
export type SourceReply = { readonly kind: 'answer'; readonly body: unknown } | { readonly kind: 'gone' };

/** Port: asks a dealer's system. */
export interface AvailabilitySource {
  /** @throws SourceFailed when there is no answer in time, or none that is one. */
  ask(question: SourceQuestion): Promise<SourceReply>;
}

/** Why there is no answer: a closed word for the audit trail, never text or an address of the other side. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';

  constructor(
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`the availability source gave no usable answer: ${reason}`, { cause });
  }
}
