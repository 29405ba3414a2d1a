import { Failure } from '../../../kernel/failure/failure.js';
import type { CategoryCutoffs, RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { BatchOutcome, Disposal, PartSize, Slice } from '../app/disposer.js';
import { notInForce } from './not-in-force.js';

/** Records that one query of a preview reads. */
const PREVIEWED_AT_ONCE = 5000;

/** What a preview is read by: the cutoffs of the action, and what the same run deletes before (migration 46, `read_for`). */
export type PreviewCutoffs = CategoryCutoffs & { readonly end?: CategoryCutoffs; readonly rest?: object | null };

/** A batch of a run. */
export interface NextBatch {
  readonly lease: number;
  readonly most: number;
  /** Of a redaction: id of the audit record that the transaction makes of it. */
  readonly redactionId?: string;
}

/** What one did, and what the audit record of a redaction has as its hash of what came after; null where nothing was redacted. */
export interface GovernedBatch {
  readonly outcome: BatchOutcome;
  readonly contentHash: string | null;
}

interface SliceRow {
  readonly hashes: Uint8Array;
  readonly held_at: number[];
  readonly used_at: number[];
  readonly rooftops: Record<string, number>;
  readonly holds: Record<string, number>;
  readonly first: string | null;
  readonly last: string | null;
}
interface BatchRow extends SliceRow {
  readonly kind: BatchOutcome['kind'];
  readonly part: string;
  readonly finished: boolean;
  readonly content_hash: string | null;
}

/** Rows of governed tables under one action: the one query of migrations 29 and 46 says what it takes, for preview and run. */
export class GovernedSlices {
  constructor(private readonly action: RetentionAction) {}

  sizes(tx: TenantTransaction, category: RetentionCategory): Promise<readonly PartSize[]> {
    return prismaOf(tx).$queryRaw<PartSize[]>`
      SELECT part, records::float8 AS records FROM retention_sizes(${category}, ${this.action})`;
  }

  /** @throws Failure `input.invalid` for a clock that a table of the category does not know */
  async preview(
    tx: TenantTransaction,
    runId: string,
    cutoffs: PreviewCutoffs,
    take: (slice: Slice) => void,
  ): Promise<void> {
    const tables = await prismaOf(tx).$queryRaw<{ part: string; known: boolean }[]>`
      SELECT table_name AS part, clocks ? ${cutoffs.clock} AS known FROM governed_tables
      WHERE category = ${cutoffs.category} AND (${this.action} = 'delete' OR steps ? ${this.action}) ORDER BY ordinal, table_name`;
    if (tables.some(({ known }) => !known)) throw new Failure('input.invalid', { auditReason: 'clock_unknown' });
    for (const { part } of tables) {
      for (let after: object | null | undefined; after !== null;) {
        const [row] = await prismaOf(tx).$queryRaw<(SliceRow & { after: object | null })[]>`
          SELECT * FROM preview_slice(${runId}, ${part}::text::name, ${JSON.stringify(cutoffs)}::jsonb,
            ${after === undefined ? null : JSON.stringify(after)}::jsonb, ${PREVIEWED_AT_ONCE}::integer)`;
        if (row === undefined) throw new Error('a preview without an answer');
        take(sliceOf(part, row));
        after = row.after;
      }
    }
  }

  /** @throws RunNotInForce */
  async batch(
    tx: TenantTransaction,
    { runId, cutoffs }: Disposal,
    { lease, most, redactionId }: NextBatch,
  ): Promise<GovernedBatch> {
    try {
      const [row] = await prismaOf(tx).$queryRaw<BatchRow[]>`
        SELECT * FROM dispose_batch(${runId}, ${lease}::integer, ${cutoffs.category}, ${most}::integer, ${this.action}, ${redactionId ?? null}::text)`;
      if (row === undefined) throw new Error('a batch without an answer');
      const { kind, part, finished, content_hash: contentHash } = row;
      if (kind !== 'done') return { outcome: { kind }, contentHash: null };
      return { outcome: { kind, slice: sliceOf(part, row), finished }, contentHash };
    } catch (error) {
      throw notInForce(error);
    }
  }
}

const sliceOf = (part: string, row: SliceRow): Slice => ({
  part,
  hashes: row.hashes,
  heldAt: row.held_at,
  usedAt: row.used_at,
  rooftops: row.rooftops,
  holds: row.holds,
  first: row.first,
  last: row.last,
});
