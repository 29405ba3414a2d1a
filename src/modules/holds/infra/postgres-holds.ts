import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import { sqlStateOf } from '../../../platform/database/sql-state.js';
import type { CoverageNow, HoldPage, HoldStore, NewHold } from '../app/hold-store.js';
import type { LegalHold } from '../domain/legal-hold.js';
import { HOLD_COLUMNS, type HoldRow, holdOf } from './hold-row.js';
import { listPages } from './list-pages.js';

const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';

/** Holds in PostgreSQL, by the functions of migrations 19, 20 and 40. */
export class PostgresHolds implements HoldStore {
  constructor(
    private readonly lockMs: number = LIMITS.holdLockMs.value,
    private readonly countMs: number = LIMITS.holdCountMs.value,
  ) {}

  async lockOutDeletions(tx: TenantTransaction): Promise<void> {
    try {
      // In this order: the limits are in force when the lock is waited for, and when the next statement begins.
      await prismaOf(tx).$queryRaw`
        SELECT set_config('lock_timeout', ${String(this.lockMs)}, true), set_config('statement_timeout', ${String(this.countMs)}, true),
               lock_out_deletions(${tx.organizationId})::text`;
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      throw new Failure('limit.busy', { retryAfterMs: 2000, auditReason: 'deletion_under_way', cause: error });
    }
  }

  async insert(tx: TenantTransaction, hold: NewHold): Promise<LegalHold> {
    const timeOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
    const rows = await prismaOf(tx).$queryRawUnsafe<HoldRow[]>(
      `INSERT INTO legal_holds AS h (organization_id, hold_id, matter, reason, placed_by, rooftop_ids, categories, subjects, record_ids, from_time, until_time)
       VALUES (current_tenant(), $1, $2, $3, $4, $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz, $10::timestamptz) RETURNING ${HOLD_COLUMNS}`,
      ...[hold.holdId, hold.matter, hold.reason, hold.placedBy, hold.rooftopIds, hold.categories, hold.subjects],
      ...[hold.recordIds, timeOf(hold.from), timeOf(hold.until)],
    );
    return only(rows);
  }

  async listAtOnce(
    tx: TenantTransaction,
    holdId: string,
    most: number,
    take: (leaves: Uint8Array) => void,
  ): Promise<boolean> {
    const prisma = prismaOf(tx);
    await prisma.$executeRaw`SAVEPOINT listing`;
    try {
      if (await listPages(prisma, holdId, { most, withinMs: this.countMs }, take)) return true;
    } catch (error) {
      if (sqlStateOf(error) !== QUERY_CANCELED) throw error;
    }
    await prisma.$executeRaw`ROLLBACK TO SAVEPOINT listing`;
    return false;
  }

  async finishCount(
    tx: TenantTransaction,
    holdId: string,
    { covered, root }: { readonly covered: number; readonly root: Uint8Array },
  ): Promise<LegalHold | undefined> {
    const [done] = await prismaOf(tx).$queryRaw<{ finished: boolean }[]>`
      SELECT finish_hold_count(${holdId}, ${covered}::bigint, ${Buffer.from(root)}) AS finished`;
    return done?.finished === true ? this.find(tx, holdId, 'read') : undefined;
  }

  async find(tx: TenantTransaction, holdId: string, purpose: 'read' | 'change'): Promise<LegalHold | undefined> {
    const [row] = await prismaOf(tx).$queryRawUnsafe<HoldRow[]>(
      `SELECT ${HOLD_COLUMNS} FROM legal_holds h WHERE h.organization_id = current_tenant() AND h.hold_id = $1
       ${purpose === 'change' ? 'FOR UPDATE' : ''}`,
      holdId,
    );
    return row === undefined ? undefined : holdOf(row);
  }

  async list(tx: TenantTransaction, { before, limit }: HoldPage): Promise<readonly LegalHold[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<HoldRow[]>(
      `SELECT ${HOLD_COLUMNS} FROM legal_holds h WHERE h.organization_id = current_tenant() AND ($1::text IS NULL OR h.hold_id < $1)
       ORDER BY h.hold_id DESC LIMIT $2`,
      before ?? null,
      limit,
    );
    return rows.map(holdOf);
  }

  async release(
    tx: TenantTransaction,
    holdId: string,
    { by, reason, coolingMs }: { readonly by: string; readonly reason: string; readonly coolingMs: number },
  ): Promise<LegalHold | undefined> {
    const rows = await prismaOf(tx).$queryRawUnsafe<HoldRow[]>(
      `UPDATE legal_holds h SET released_at = t.now, released_by = $2, release_reason = $3, free_from = t.now + make_interval(secs => $4 / 1000.0)
       FROM (SELECT clock_timestamp() AS now) AS t
       WHERE h.organization_id = current_tenant() AND h.hold_id = $1 AND h.released_at IS NULL RETURNING ${HOLD_COLUMNS}`,
      ...[holdId, by, reason, coolingMs],
    );
    return rows[0] === undefined ? undefined : holdOf(rows[0]);
  }

  async onRecord(tx: TenantTransaction, category: string, recordId: string): Promise<readonly LegalHold[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<HoldRow[]>(
      `SELECT ${HOLD_COLUMNS} FROM holds_on_record($1, $2) AS h`,
      category,
      recordId,
    );
    return rows.map(holdOf);
  }

  async coverageNow(tx: TenantTransaction, holdId: string): Promise<CoverageNow> {
    try {
      await prismaOf(tx)
        .$queryRaw`SELECT set_config('statement_timeout', ${String(LIMITS.holdCoverageMs.value)}, true)`;
      const rows = await prismaOf(tx).$queryRaw<CoverageNow[]>`
        SELECT covered_now::float8 AS "coveredNow", missing::float8 AS missing FROM hold_coverage_now(${holdId})`;
      return rows[0] ?? { coveredNow: 0, missing: 0 };
    } catch (error) {
      if (sqlStateOf(error) !== QUERY_CANCELED) throw error;
      throw new Failure('limit.busy', { retryAfterMs: 60_000, auditReason: 'hold_too_large', cause: error });
    }
  }

  async page(tx: TenantTransaction, holdId: string, page: number): Promise<readonly string[] | undefined> {
    const rows = await prismaOf(tx).$queryRaw<{ listed: string[] }[]>`
      SELECT listed FROM legal_hold_pages WHERE organization_id = current_tenant() AND hold_id = ${holdId} AND page = ${page}`;
    return rows[0]?.listed;
  }
}

function only(rows: readonly HoldRow[]): LegalHold {
  if (rows[0] === undefined) throw new Error('the database did not give the row back that it took');
  return holdOf(rows[0]);
}
