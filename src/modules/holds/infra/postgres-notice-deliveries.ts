import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type {
  ClaimedNoticeTarget,
  DueNoticeTarget,
  NoticeOutbox,
  NoticeProgress,
} from '../app/notice-delivery-store.js';
import type { DropReason, NoticeDelivery, NoticeStep, NoticeStepKind } from '../domain/notice-delivery.js';

const COLUMNS = `notice_id, step, ordinal, target_id, created_at, attempts, attempted_at, problem, delivered_at, dropped_at, dropped_for`;
const SELECT = `SELECT ${COLUMNS} FROM hold_notice_deliveries WHERE organization_id = current_tenant()`;
const OF_ONE = `WHERE organization_id = current_tenant() AND notice_id = $1 AND step = $2 AND ordinal = $3 AND target_id = $4`;

interface DeliveryRow {
  readonly notice_id: string;
  readonly step: NoticeStepKind;
  readonly ordinal: number;
  readonly target_id: string;
  readonly created_at: Date;
  readonly attempts: number;
  readonly attempted_at: Date | null;
  readonly problem: string | null;
  readonly delivered_at: Date | null;
  readonly dropped_at: Date | null;
  readonly dropped_for: DropReason | null;
}

/** Messages to targets in PostgreSQL (migration 47). */
export class PostgresNoticeDeliveries implements NoticeOutbox, NoticeProgress {
  constructor(private readonly pool: pg.Pool) {}

  async add(tx: TenantTransaction, step: NoticeStep, targetIds: readonly string[], at: number): Promise<void> {
    const { noticeId, kind, ordinal } = step;
    await prismaOf(tx).$executeRaw`
      INSERT INTO hold_notice_deliveries (organization_id, notice_id, step, ordinal, target_id, created_at)
      SELECT current_tenant(), ${noticeId}, ${kind}, ${ordinal}, id, ${new Date(at)} FROM unnest(${targetIds}::text[]) AS id`;
  }

  async ofNotices(tx: TenantTransaction, noticeIds: readonly string[]): Promise<readonly NoticeDelivery[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<DeliveryRow[]>(
      `${SELECT} AND notice_id = ANY ($1::text[]) ORDER BY created_at, step, ordinal, target_id`,
      noticeIds,
    );
    return rows.map(deliveryOf);
  }

  async due(now: number, limit: number): Promise<readonly DueNoticeTarget[]> {
    const { rows } = await this.pool.query<DueNoticeTarget>(
      'SELECT organization_id AS "organizationId", target_id AS "targetId" FROM due_hold_notice_targets($1, $2)',
      [new Date(now), limit],
    );
    return rows;
  }

  async claim(
    tx: TenantTransaction,
    targetId: string,
    now: number,
    leaseMs: number,
  ): Promise<ClaimedNoticeTarget | undefined> {
    const rows = await prismaOf(tx).$queryRaw<ClaimedNoticeTarget[]>`
      UPDATE hold_notice_targets SET next_attempt_at = ${new Date(now + leaseMs)}
      WHERE organization_id = current_tenant() AND target_id = ${targetId} AND revoked_at IS NULL AND next_attempt_at <= ${new Date(now)}
      RETURNING target_id AS "targetId", kind, address, failures`;
    return rows[0];
  }

  async next(tx: TenantTransaction, targetId: string): Promise<NoticeDelivery | undefined> {
    const rows = await prismaOf(tx).$queryRawUnsafe<DeliveryRow[]>(
      `${SELECT} AND target_id = $1 AND delivered_at IS NULL AND dropped_at IS NULL
       ORDER BY attempted_at NULLS FIRST, created_at, notice_id, ordinal LIMIT 1`,
      targetId,
    );
    return rows[0] === undefined ? undefined : deliveryOf(rows[0]);
  }

  async attempt(tx: TenantTransaction, delivery: NoticeDelivery, now: number): Promise<NoticeDelivery> {
    const changed = await change(tx, delivery, 'attempts = attempts + 1, attempted_at = $5', [new Date(now)]);
    if (changed === undefined) throw new Error('a message that was found is not there');
    return changed;
  }

  // What has arrived has arrived, also where it was dropped while it was on its way.
  arrived(tx: TenantTransaction, delivery: NoticeDelivery, now: number): Promise<NoticeDelivery | undefined> {
    const arrival = 'delivered_at = $5, dropped_at = NULL, dropped_for = NULL';
    return change(tx, delivery, arrival, [new Date(now)], 'AND delivered_at IS NULL');
  }

  async failed(tx: TenantTransaction, delivery: NoticeDelivery, problem: string): Promise<void> {
    await change(tx, delivery, 'problem = $5', [problem]);
  }

  async drop(
    tx: TenantTransaction,
    delivery: NoticeDelivery,
    reason: DropReason,
    now: number,
  ): Promise<NoticeDelivery | undefined> {
    const open = 'AND delivered_at IS NULL AND dropped_at IS NULL';
    return change(tx, delivery, 'dropped_at = $5, dropped_for = $6', [new Date(now), reason], open);
  }

  async rest(
    tx: TenantTransaction,
    targetId: string,
    { nextAt, problem, deliveredAt }: Parameters<NoticeProgress['rest']>[2],
  ): Promise<void> {
    const delivered = deliveredAt === undefined ? null : new Date(deliveredAt);
    await prismaOf(tx).$executeRaw`
      UPDATE hold_notice_targets SET next_attempt_at = ${new Date(nextAt)}, problem = ${problem},
        failures = CASE WHEN ${problem}::text IS NULL THEN 0 ELSE failures + 1 END, delivered_at = coalesce(${delivered}, delivered_at)
      WHERE organization_id = current_tenant() AND target_id = ${targetId}`;
  }
}

/** @returns the message as it is now; undefined where the condition does not hold. */
async function change(
  tx: TenantTransaction,
  { noticeId, kind, ordinal, targetId }: NoticeDelivery,
  set: string,
  values: readonly unknown[],
  condition = '',
): Promise<NoticeDelivery | undefined> {
  const rows = await prismaOf(tx).$queryRawUnsafe<DeliveryRow[]>(
    `UPDATE hold_notice_deliveries SET ${set} ${OF_ONE} ${condition} RETURNING ${COLUMNS}`,
    ...[noticeId, kind, ordinal, targetId, ...values],
  );
  return rows[0] === undefined ? undefined : deliveryOf(rows[0]);
}

const msOf = (at: Date | null): number | null => at?.getTime() ?? null;

function deliveryOf(row: DeliveryRow): NoticeDelivery {
  const { notice_id: noticeId, step: kind, ordinal, target_id: targetId, attempts, problem } = row;
  return {
    ...{ noticeId, kind, ordinal, targetId, createdAt: row.created_at.getTime(), attempts, problem },
    ...{ attemptedAt: msOf(row.attempted_at), deliveredAt: msOf(row.delivered_at) },
    ...{ droppedAt: msOf(row.dropped_at), droppedFor: row.dropped_for },
  };
}
