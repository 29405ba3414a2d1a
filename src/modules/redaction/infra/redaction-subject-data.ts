import { newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import type { SubjectNames } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { CataloguedSubjectData } from '../../../platform/database/catalogued-subject-data.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import {
  type ChangeOrigin,
  REDACTED_OPERATION,
  type SupersededExports,
  type TransactionalAudit,
} from '../../audit/index.js';

const GROUND = 'erasure_request';

/**
 * The audit trail: actor and client of the subject's records go as any redaction takes them (decision record 0041), with an
 * audit record for each batch. Records, their places and the tree stay.
 */
export class RedactionSubjectData extends CataloguedSubjectData {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly exports: Pick<SupersededExports, 'record'>,
    private readonly clock: Clock,
  ) {
    super(['audit_events']);
  }

  override async erase(
    tx: TenantTransaction,
    _place: string,
    names: SubjectNames,
    { recordIds, requestId }: { readonly recordIds: readonly string[]; readonly requestId: string },
  ): Promise<readonly string[]> {
    const redactionId = newRequestId();
    const [taken] = await prismaOf(tx).$queryRaw<{ content_hash: string }[]>`
      SELECT content_hash FROM redact_audit_records(${redactionId}, ${GROUND}, ${JSON.stringify(names)}::jsonb, ${[...recordIds]}::text[])`;
    if (taken === undefined) return [];
    const origin = byPrivacyRequests(redactionId);
    await this.record(tx, origin, requestId, taken.content_hash);
    await this.exports.record(tx, redactionId, origin);
    const rows = await prismaOf(tx).$queryRaw<{ event_id: string }[]>`
      SELECT event_id FROM audit_redacted_records WHERE redaction_id = ${redactionId}`;
    return rows.map(({ event_id: eventId }) => eventId);
  }

  private record(tx: TenantTransaction, origin: ChangeOrigin, requestId: string, afterHash: string): Promise<void> {
    return this.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt: this.clock.now(),
      organizationId: tx.organizationId,
      operation: REDACTED_OPERATION,
      profile: null,
      rooftopIds: [],
      resourceIds: [requestId],
      decision: 'allow',
      reason: GROUND,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      afterHash,
    });
  }
}

const byPrivacyRequests = (eventId: string): ChangeOrigin => ({
  eventId,
  traceId: traceIdOfRequest(eventId),
  surface: 'worker',
  actorKind: 'system',
  actor: 'privacy-requests',
  client: null,
});
