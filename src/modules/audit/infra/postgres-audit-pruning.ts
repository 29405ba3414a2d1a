import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type {
  AuditPruningStore,
  LogCut,
  PrunedSlice,
  PruningState,
  PruningStep,
  RecordedPruning,
} from '../app/audit-pruning-store.js';
import type { VaultStatement } from '../domain/vault.js';

interface Run {
  readonly runId: string;
  readonly lease: number;
}

/** A slice as the database answers with it. */
interface SliceRow {
  readonly hashes: Uint8Array;
  readonly held_at: readonly number[];
  readonly used_at?: readonly number[];
  readonly rooftops: Readonly<Record<string, number>>;
  readonly holds: Readonly<Record<string, number>>;
  readonly first: string | null;
  readonly last: string | null;
}
interface StateRow extends Omit<PruningState, 'cut'> {
  readonly fromIndex: number | null;
  readonly minIndex: number | null;
  readonly size: number | null;
}
interface StepRow extends SliceRow {
  readonly kind: 'done' | 'waiting';
  readonly part: string;
  readonly restate: boolean;
  readonly finished: boolean;
}

/** Records of a slice of the vault. */
const VAULT_SLICE = 1000;

/** Pruning by functions of the database, which know the run, its cutoffs and the holds themselves. */
export class PostgresAuditPruning implements AuditPruningStore {
  async state(tx: TenantTransaction, runId: string): Promise<PruningState> {
    const rows = await prismaOf(tx).$queryRaw<StateRow[]>`
      SELECT policy, recorded::float8 AS recorded, numbered, months, years, from_index::float8 AS "fromIndex", min_index::float8 AS "minIndex", size::float8 AS size
      FROM audit_pruning_state(${runId})`;
    const { fromIndex, minIndex, size, ...state } = one(rows);
    return {
      ...state,
      cut: fromIndex === null || minIndex === null || size === null ? null : { fromIndex, minIndex, size },
    };
  }

  async sizes(tx: TenantTransaction): Promise<readonly { part: string; records: number }[]> {
    return prismaOf(tx).$queryRaw<{ part: string; records: number }[]>`
      SELECT 'audit_events' AS part, coalesce((SELECT size FROM audit_logs), 0)::float8 - audit_min_index() AS records
      UNION ALL SELECT 'hold_vault', count(*)::float8 FROM hold_vault`;
  }

  async cut(tx: TenantTransaction, cutoffs: object): Promise<LogCut> {
    const rows = await prismaOf(tx).$queryRaw<LogCut[]>`
      SELECT from_index::float8 AS "fromIndex", min_index::float8 AS "minIndex", size::float8 AS size FROM audit_cut(${JSON.stringify(cutoffs)}::jsonb)`;
    return one(rows);
  }

  async rest(tx: TenantTransaction, cutoffs: object): Promise<object | null> {
    const rows = await prismaOf(tx).$queryRaw<{ rest: object | null }[]>`
      SELECT audit_rest(${JSON.stringify(cutoffs)}::jsonb) AS rest`;
    return one(rows).rest;
  }

  async preview(tx: TenantTransaction, runId: string, from: number, to: number): Promise<PrunedSlice> {
    const rows = await prismaOf(tx).$queryRaw<SliceRow[]>`
      SELECT * FROM preview_audit_slice(${runId}, ${from}::bigint, ${to}::bigint)`;
    return sliceOf('audit_events', one(rows));
  }

  async previewVault(
    tx: TenantTransaction,
    runId: string,
    cutoffs: object,
    take: (slice: PrunedSlice) => void,
  ): Promise<void> {
    for (let after: unknown = null; ;) {
      const rows = await prismaOf(tx).$queryRaw<(SliceRow & { after: unknown })[]>`
        SELECT hashes, held_at, used_at, rooftops, holds, first, last, after
        FROM preview_slice(${runId}, 'hold_vault', ${JSON.stringify(cutoffs)}::jsonb, ${after === null ? null : JSON.stringify(after)}::jsonb, ${VAULT_SLICE}::integer)`;
      const row = one(rows);
      take(sliceOf('hold_vault', row));
      if (row.after === null) return;
      after = row.after;
    }
  }

  async record(tx: TenantTransaction, run: Run, { eventId, minIndex, size, root }: RecordedPruning): Promise<void> {
    await prismaOf(tx).$executeRaw`
      SELECT record_run_pruning(${run.runId}, ${run.lease}::integer, ${eventId}, ${minIndex}::bigint, ${size}::bigint, ${Buffer.from(root)})`;
  }

  async step(tx: TenantTransaction, run: Run, most: number): Promise<PruningStep> {
    const rows = await prismaOf(tx).$queryRaw<StepRow[]>`
      SELECT * FROM prune_audit_batch(${run.runId}, ${run.lease}::integer, ${most}::integer)`;
    const { kind, part, restate, finished, ...slice } = one(rows);
    return kind === 'waiting' ? { kind } : { kind, slice: sliceOf(part, slice), restate, finished };
  }

  async vaultStatement(tx: TenantTransaction): Promise<VaultStatement> {
    const rows = await prismaOf(tx).$queryRaw<VaultStatement[]>`
      SELECT records::float8 AS records, last_number::float8 AS "lastNumber", digest FROM audit_vault_statement()`;
    return one(rows);
  }

  async dropMonth(tx: TenantTransaction, month: string): Promise<ReadonlyMap<string, VaultStatement> | undefined> {
    const rows = await prismaOf(tx).$queryRaw<{ vaulted: Record<string, StoredStatement> | null }[]>`
      SELECT drop_audit_month(${month}::date) AS vaulted`;
    const { vaulted } = one(rows);
    if (vaulted === null) return undefined;
    return new Map(
      Object.entries(vaulted).map(([organizationId, { records, last_number: lastNumber, digest }]) => [
        organizationId,
        { records, lastNumber, digest },
      ]),
    );
  }

  async dropYear(tx: TenantTransaction, year: number): Promise<void> {
    await prismaOf(tx).$executeRaw`SELECT drop_audit_year(${year}::integer)`;
  }
}

interface StoredStatement {
  readonly records: number;
  readonly last_number: number;
  readonly digest: string;
}

const sliceOf = (part: string, { held_at: heldAt, used_at: usedAt = [], ...row }: SliceRow): PrunedSlice => ({
  part,
  hashes: row.hashes,
  heldAt,
  usedAt,
  rooftops: row.rooftops,
  holds: row.holds,
  first: row.first,
  last: row.last,
});

function one<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('a function answers with one row');
  return row;
}
