import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { BatchOutcome, Disposal, Disposer, PartSize, Slice } from '../app/disposer.js';
import { GovernedSlices } from './governed-slices.js';

const METHODS = {
  delete: 'row delete',
  anonymise: 'names replaced in place by a mark of the record, and what follows from them',
} as const;

/** Deletes rows of governed tables, or anonymises them as an erasure of their person would (decision record 0059). */
export class GovernedTableDisposer implements Disposer {
  readonly categories = 'others';
  readonly actions: Disposer['actions'];
  readonly method: string;
  private readonly slices: GovernedSlices;

  constructor(action: keyof typeof METHODS = 'delete') {
    this.actions = [action];
    this.method = METHODS[action];
    this.slices = new GovernedSlices(action);
  }

  sizes(tx: TenantTransaction, category: RetentionCategory): Promise<readonly PartSize[]> {
    return this.slices.sizes(tx, category);
  }

  preview(tx: TenantTransaction, { runId, cutoffs, end }: Disposal, take: (slice: Slice) => void): Promise<void> {
    return this.slices.preview(tx, runId, end === undefined ? cutoffs : { ...cutoffs, end }, take);
  }

  async batch(
    tx: TenantTransaction,
    disposal: Disposal,
    step: { readonly lease: number; readonly most: number },
  ): Promise<BatchOutcome> {
    return (await this.slices.batch(tx, disposal, step)).outcome;
  }
}
