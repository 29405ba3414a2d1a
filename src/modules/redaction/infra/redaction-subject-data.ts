import { newRequestId } from '../../../kernel/ids.js';
import type { SubjectNames } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { CataloguedSubjectData } from '../../../platform/database/catalogued-subject-data.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { RecordRedaction } from '../app/record-redaction.js';

const GROUND = 'erasure_request';

/**
 * The audit trail: actor and client of the subject's records go as any redaction takes them (decision record 0041), with an
 * audit record for each batch. Records, their places and the tree stay.
 */
export class RedactionSubjectData extends CataloguedSubjectData {
  constructor(private readonly redactions: RecordRedaction) {
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
    await this.redactions.run(tx, {
      ...{ redactionId, contentHash: taken.content_hash, actor: 'privacy-requests', ground: GROUND },
      resourceIds: [requestId],
    });
    const rows = await prismaOf(tx).$queryRaw<{ event_id: string }[]>`
      SELECT event_id FROM audit_redacted_records WHERE redaction_id = ${redactionId}`;
    return rows.map(({ event_id: eventId }) => eventId);
  }
}
