import { actorOfStaff, type StaffCaller } from '../../kernel/caller.js';
import type { Failure } from '../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../kernel/ids.js';
import type { AuditRecord, AuditRecorder } from '../../kernel/ports/audit-recorder.js';
import type { Clock } from '../../kernel/time.js';
import type { RequestContext } from './request-context.js';

/**
 * Audits what staff look at and what they are refused. Successful changes audit themselves, in the transaction that makes
 * them; everything else passes here, before its answer leaves.
 */
export class AdminAudit {
  constructor(
    private readonly recorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  read(context: RequestContext, operation: string): Promise<void> {
    return this.recorder.record(
      this.recordOf(context, operation, { decision: 'allow', outcome: 'succeeded', reason: null, failureCode: null }),
    );
  }

  /** A change that was sent again under its idempotency key: answered, and not made. */
  replayed(context: RequestContext, operation: string): Promise<void> {
    const end = { decision: 'allow', outcome: 'succeeded', reason: 'replayed', failureCode: null } as const;
    return this.recorder.record(this.recordOf(context, operation, end));
  }

  failed(context: RequestContext, operation: string, failure: Failure): Promise<void> {
    return this.recorder.record(
      this.recordOf(context, operation, {
        decision: 'allow',
        outcome: 'failed',
        reason: failure.context.auditReason ?? failure.code,
        failureCode: failure.code,
      }),
    );
  }

  denied(context: RequestContext, operation: string, failure: Failure): Promise<void> {
    return this.recorder.record(
      this.recordOf(context, operation, {
        decision: 'deny',
        outcome: 'denied',
        reason: failure.context.auditReason ?? failure.code,
        failureCode: failure.code,
      }),
    );
  }

  private recordOf(
    context: RequestContext,
    operation: string,
    end: Pick<AuditRecord, 'decision' | 'outcome' | 'reason' | 'failureCode'>,
  ): AuditRecord {
    const caller: StaffCaller | undefined = context.caller;
    return {
      eventId: context.requestId,
      occurredAt: this.clock.now(),
      organizationId: caller?.organizationId ?? PLATFORM_TENANT,
      traceId: context.traceId,
      surface: 'admin',
      operation,
      profile: null,
      ...(caller === undefined ? { actorKind: 'anonymous', actor: null } : actorOfStaff(caller)),
      client: null,
      rooftopIds: [],
      resourceIds: [],
      policyVersion: null,
      purpose: null,
      ...end,
    };
  }
}
