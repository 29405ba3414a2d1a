import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { FileKind } from '../../../kernel/ports/content-store.js';
import type { DueRemoval, FileRemovals, FileToRemove, RemovalOutcome, RemovalStatus } from '../app/file-removals.js';

interface StatusRow {
  readonly waiting: number;
  readonly removed: number;
  readonly kept: number;
  readonly waitingSince: Date | null;
  readonly problem: string | null;
  readonly failing: number;
}

export class SqlFileRemovals implements FileRemovals {
  constructor(private readonly pool: pg.Pool) {}

  async due(most: number): Promise<readonly DueRemoval[]> {
    const { rows } = await this.pool.query<DueRemoval>(
      'SELECT organization_id AS "organizationId", removal_id AS "removalId" FROM due_file_removals($1)',
      [most],
    );
    return rows;
  }

  async take(tx: TenantTransaction, removalId: string): Promise<FileToRemove | undefined> {
    const rows = await prismaOf(tx).$queryRaw<Omit<FileToRemove, 'isNamed'>[]>`
      SELECT kind, storage_key AS "storageKey", failures FROM file_removals
      WHERE removal_id = ${removalId}::uuid AND outcome IS NULL FOR UPDATE SKIP LOCKED`;
    const [file] = rows;
    if (file === undefined) return undefined;
    // A statement of its own: what was committed while the lock was waited for counts.
    return { ...file, isNamed: await this.isNamed(tx, file.kind, file.storageKey) };
  }

  async isNamed(tx: TenantTransaction, kind: FileKind, storageKey: string): Promise<boolean> {
    const [row] = await prismaOf(tx).$queryRaw<
      { named: boolean }[]
    >`SELECT file_is_named(${kind}, ${storageKey}) AS named`;
    return row?.named ?? true;
  }

  async end(tx: TenantTransaction, removalId: string, outcome: RemovalOutcome): Promise<void> {
    await prismaOf(tx).$executeRaw`
      UPDATE file_removals SET outcome = ${outcome}, ended_at = clock_timestamp(), problem = NULL WHERE removal_id = ${removalId}::uuid`;
  }

  async postpone(tx: TenantTransaction, removalId: string, afterMs: number, problem: string | null): Promise<void> {
    await prismaOf(tx).$executeRaw`
      UPDATE file_removals SET due_at = clock_timestamp() + ${afterMs}::float8 * interval '1 millisecond', problem = ${problem},
        failures = CASE WHEN ${problem}::text IS NULL THEN 0 ELSE failures + 1 END
      WHERE removal_id = ${removalId}::uuid`;
  }

  async status(tx: TenantTransaction): Promise<RemovalStatus> {
    const [row] = await prismaOf(tx).$queryRaw<StatusRow[]>`
      SELECT count(*) FILTER (WHERE outcome IS NULL)::integer AS waiting,
        count(*) FILTER (WHERE outcome IN ('removed', 'absent'))::integer AS removed,
        count(*) FILTER (WHERE outcome = 'kept')::integer AS kept,
        count(*) FILTER (WHERE outcome IS NULL AND failures > 0)::integer AS failing,
        min(noted_at) FILTER (WHERE outcome IS NULL) AS "waitingSince",
        (array_agg(problem ORDER BY failures DESC, removal_id) FILTER (WHERE outcome IS NULL AND failures > 0))[1] AS problem
      FROM file_removals`;
    if (row === undefined) throw new Error('an aggregate without a row');
    return { ...row, waitingSince: row.waitingSince?.getTime() ?? null };
  }
}
