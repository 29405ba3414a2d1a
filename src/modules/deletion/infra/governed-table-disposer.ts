import { Failure } from '../../../kernel/failure/failure.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { BatchOutcome, Disposal, Disposer, PartSize, Slice } from '../app/disposer.js';
import { notInForce } from './not-in-force.js';

/** Records that one query of a preview reads. */
const PREVIEWED_AT_ONCE = 5000;

interface SliceRow {
  readonly hashes: Uint8Array;
  readonly held_at: number[];
  readonly used_at: number[];
  readonly rooftops: Record<string, number>;
  readonly holds: Record<string, number>;
  readonly first: string | null;
  readonly last: string | null;
}

/** Deletes rows of governed tables, through the functions of migration 29: the one query says what goes, for preview and run. */
export class GovernedTableDisposer implements Disposer {
  readonly categories = 'others';
  readonly actions = ['delete'] as const;
  readonly method = 'row delete';

  async sizes(tx: TenantTransaction, category: RetentionCategory): Promise<readonly PartSize[]> {
    return prismaOf(tx).$queryRaw<PartSize[]>`
      SELECT part, records::float8 AS records FROM retention_sizes(${category})`;
  }

  async preview(tx: TenantTransaction, { runId, cutoffs }: Disposal, take: (slice: Slice) => void): Promise<void> {
    const tables = await prismaOf(tx).$queryRaw<{ part: string; known: boolean }[]>`
      SELECT table_name AS part, clocks ? ${cutoffs.clock} AS known FROM governed_tables
      WHERE category = ${cutoffs.category} ORDER BY ordinal, table_name`;
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

  async batch(
    tx: TenantTransaction,
    { runId, cutoffs }: Disposal,
    { lease, most }: { readonly lease: number; readonly most: number },
  ): Promise<BatchOutcome> {
    try {
      const [row] = await prismaOf(tx).$queryRaw<
        (SliceRow & { kind: BatchOutcome['kind']; part: string; finished: boolean })[]
      >`SELECT * FROM dispose_batch(${runId}, ${lease}::integer, ${cutoffs.category}, ${most}::integer)`;
      if (row === undefined) throw new Error('a batch without an answer');
      const { kind, part, finished } = row;
      return kind === 'done' ? { kind, slice: sliceOf(part, row), finished } : { kind };
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
