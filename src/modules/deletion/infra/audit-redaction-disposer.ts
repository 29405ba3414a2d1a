import { newRequestId } from '../../../kernel/ids.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { PruneAuditLog } from '../../audit/index.js';
import type { RecordRedaction } from '../../redaction/index.js';
import type { BatchOutcome, Disposal, Disposer, PartSize, Slice } from '../app/disposer.js';
import { GovernedSlices } from './governed-slices.js';

/**
 * Takes actor and client out of records of the audit trail (decision records 0041 and 0059). Each batch is a redaction of its own:
 * its record in the log is what verification believes, and exports that hold the values end with it.
 */
export class AuditRedactionDisposer implements Disposer {
  readonly categories = ['audit_event'] as const;
  readonly actions = ['redact'] as const;
  readonly method = 'redaction: actor and client of audit records destroyed with the nonce of their commitments';
  private readonly slices = new GovernedSlices('redact');

  constructor(
    private readonly pruning: Pick<PruneAuditLog, 'rest'>,
    private readonly redactions: RecordRedaction,
  ) {}

  sizes(tx: TenantTransaction, category: RetentionCategory): Promise<readonly PartSize[]> {
    return this.slices.sizes(tx, category);
  }

  async preview(tx: TenantTransaction, { runId, cutoffs, end }: Disposal, take: (slice: Slice) => void): Promise<void> {
    const rest = end === undefined ? null : await this.pruning.rest(tx, end);
    await this.slices.preview(tx, runId, { ...cutoffs, rest }, take);
  }

  async batch(
    tx: TenantTransaction,
    disposal: Disposal,
    step: { readonly lease: number; readonly most: number },
  ): Promise<BatchOutcome> {
    const redactionId = newRequestId();
    const { outcome, contentHash } = await this.slices.batch(tx, disposal, { ...step, redactionId });
    if (contentHash !== null)
      await this.redactions.run(tx, {
        ...{ redactionId, contentHash, actor: 'retention', ground: 'retention_policy' },
        resourceIds: [disposal.runId],
      });
    return outcome;
  }
}
