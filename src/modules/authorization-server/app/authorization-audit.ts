import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import type { AuditRecord, AuditRecorder } from '../../../kernel/ports/audit-recorder.js';
import type { Clock } from '../../../kernel/time.js';
import type { Exchange } from './exchange.js';

/** What happened at the authorization server. `reason` is a code, never words of a caller. */
export interface AuthorizationEvent extends Partial<
  Pick<AuditRecord, 'actorKind' | 'actor' | 'client' | 'resourceIds'>
> {
  readonly operation: string;
  readonly organizationId?: string | undefined;
  /** Undefined: it was done. */
  readonly refusal?: string | undefined;
}

/** Audits consents, tokens and registrations, each before its answer leaves. */
export class AuthorizationAudit {
  constructor(
    private readonly recorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  record({ requestId, traceId }: Exchange, event: AuthorizationEvent): Promise<void> {
    const { operation, organizationId = PLATFORM_TENANT, refusal } = event;
    return this.recorder.record({
      eventId: requestId,
      occurredAt: this.clock.now(),
      organizationId,
      traceId,
      surface: 'ops',
      operation,
      profile: null,
      actorKind: event.actorKind ?? 'anonymous',
      actor: event.actor ?? null,
      client: event.client ?? null,
      rooftopIds: [],
      resourceIds: event.resourceIds ?? [],
      decision: refusal === undefined ? 'allow' : 'deny',
      reason: refusal ?? null,
      policyVersion: null,
      outcome: refusal === undefined ? 'succeeded' : 'denied',
      failureCode: null,
      purpose: null,
    });
  }
}
