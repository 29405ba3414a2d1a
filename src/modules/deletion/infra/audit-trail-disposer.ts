import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { PruneAuditLog } from '../../audit/index.js';
import type { BatchOutcome, Disposal, Disposer, PartSize, Slice } from '../app/disposer.js';
import { notInForce } from './not-in-force.js';

/** The audit trail, whose rows do not simply go: its log is pruned, and held records are vaulted (decision record 0047). */
export class AuditTrailDisposer implements Disposer {
  readonly categories = ['audit_event'] as const;
  readonly actions = ['delete'] as const;
  readonly method = 'log pruning: months dropped and rows deleted below a recorded index';

  constructor(private readonly pruning: PruneAuditLog) {}

  sizes(tx: TenantTransaction): Promise<readonly PartSize[]> {
    return this.pruning.sizes(tx);
  }

  preview(tx: TenantTransaction, disposal: Disposal, take: (slice: Slice) => void): Promise<void> {
    return this.pruning.preview(tx, disposal, take);
  }

  async batch(
    tx: TenantTransaction,
    { runId }: Disposal,
    step: { readonly lease: number; readonly most: number },
  ): Promise<BatchOutcome> {
    try {
      return await this.pruning.step(tx, { runId, ...step });
    } catch (error) {
      throw notInForce(error);
    }
  }
}
