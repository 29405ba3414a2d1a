import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { NoticeTargetStore, StoredNoticeTarget } from '../app/notice-target-store.js';
import type { NoticeTarget } from '../domain/notice-target.js';

const SELECT = `SELECT target_id, kind, address, purpose, person_id, created_at, revoked_at, failures, problem, delivered_at
  FROM hold_notice_targets WHERE organization_id = current_tenant()`;

interface TargetRow {
  readonly target_id: string;
  readonly kind: NoticeTarget['kind'];
  readonly address: string;
  readonly purpose: NoticeTarget['purpose'];
  readonly person_id: string | null;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  readonly failures: number;
  readonly problem: string | null;
  readonly delivered_at: Date | null;
}

/** Targets of notices in PostgreSQL (migration 47). */
export class PostgresNoticeTargets implements NoticeTargetStore {
  async insert(tx: TenantTransaction, target: NoticeTarget): Promise<void> {
    const { targetId, kind, address, purpose, personId } = target;
    const at = new Date(target.createdAt);
    await prismaOf(tx).$executeRaw`
      INSERT INTO hold_notice_targets (organization_id, target_id, kind, address, purpose, person_id, created_at, next_attempt_at)
      VALUES (current_tenant(), ${targetId}, ${kind}, ${address}, ${purpose}, ${personId}, ${at}, ${at})`;
  }

  async find(tx: TenantTransaction, targetId: string): Promise<StoredNoticeTarget | undefined> {
    const rows = await prismaOf(tx).$queryRawUnsafe<TargetRow[]>(`${SELECT} AND target_id = $1`, targetId);
    return rows[0] === undefined ? undefined : targetOf(rows[0]);
  }

  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StoredNoticeTarget[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<TargetRow[]>(
      `${SELECT} AND ($1::text IS NULL OR target_id > $1) ORDER BY target_id LIMIT $2`,
      ...[after ?? null, limit],
    );
    return rows.map(targetOf);
  }

  async active(tx: TenantTransaction): Promise<readonly NoticeTarget[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<TargetRow[]>(`${SELECT} AND revoked_at IS NULL ORDER BY target_id`);
    return rows.map(targetOf);
  }

  async revoke(tx: TenantTransaction, targetId: string, ms: number): Promise<void> {
    const at = new Date(ms);
    await prismaOf(tx).$executeRaw`
      UPDATE hold_notice_targets SET revoked_at = ${at}
      WHERE organization_id = current_tenant() AND target_id = ${targetId} AND revoked_at IS NULL`;
    await prismaOf(tx).$executeRaw`
      UPDATE hold_notice_deliveries SET dropped_at = ${at}, dropped_for = 'target_revoked'
      WHERE organization_id = current_tenant() AND target_id = ${targetId} AND delivered_at IS NULL AND dropped_at IS NULL`;
  }
}

function targetOf(row: TargetRow): StoredNoticeTarget {
  const { target_id: targetId, kind, address, purpose, person_id: personId, failures, problem } = row;
  const createdAt = row.created_at.getTime();
  const [revokedAt, deliveredAt] = [row.revoked_at?.getTime() ?? null, row.delivered_at?.getTime() ?? null];
  return { targetId, kind, address, purpose, personId, createdAt, revokedAt, failures, problem, deliveredAt };
}
