import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { DueNotices, NoticePage, NoticeStore } from '../app/notice-store.js';
import type { HoldNotice } from '../domain/hold-notice.js';

const COLUMNS = `notice_id, hold_id, person_id, message, escalate_to, about_notice, sent_by, sent_at, due_at, reminders, reminded_at,
  escalated_at, acknowledged_at`;

interface NoticeRow {
  readonly notice_id: string;
  readonly hold_id: string;
  readonly person_id: string;
  readonly message: string;
  readonly escalate_to: string | null;
  readonly about_notice: string | null;
  readonly sent_by: string;
  readonly sent_at: Date;
  readonly due_at: Date | null;
  readonly reminders: number;
  readonly reminded_at: Date | null;
  readonly escalated_at: Date | null;
  readonly acknowledged_at: Date | null;
}

/** Notices in PostgreSQL (migration 20). */
export class PostgresNotices implements NoticeStore, DueNotices {
  constructor(private readonly pool: pg.Pool) {}

  async insert(tx: TenantTransaction, notice: HoldNotice): Promise<void> {
    const { noticeId, holdId, personId, message, escalateTo, aboutNotice, sentBy } = notice;
    await prismaOf(tx).$executeRaw`
      INSERT INTO hold_notices (organization_id, notice_id, hold_id, person_id, message, escalate_to, about_notice, sent_by, sent_at, due_at)
      VALUES (current_tenant(), ${noticeId}, ${holdId}, ${personId}, ${message}, ${escalateTo}, ${aboutNotice}, ${sentBy},
              ${new Date(notice.sentAt)}, ${dateOf(notice.dueAt)})`;
  }

  async find(tx: TenantTransaction, noticeId: string, suffix = ''): Promise<HoldNotice | undefined> {
    const rows = await prismaOf(tx).$queryRawUnsafe<NoticeRow[]>(
      `SELECT ${COLUMNS} FROM hold_notices WHERE organization_id = current_tenant() AND notice_id = $1 ${suffix}`,
      noticeId,
    );
    return rows[0] === undefined ? undefined : noticeOf(rows[0]);
  }

  lock(tx: TenantTransaction, noticeId: string): Promise<HoldNotice | undefined> {
    return this.find(tx, noticeId, 'FOR UPDATE');
  }

  async update(tx: TenantTransaction, notice: HoldNotice): Promise<void> {
    const { noticeId, dueAt, reminders, remindedAt, escalatedAt, acknowledgedAt } = notice;
    await prismaOf(tx).$executeRaw`
      UPDATE hold_notices SET due_at = ${dateOf(dueAt)}, reminders = ${reminders}, reminded_at = ${dateOf(remindedAt)},
        escalated_at = ${dateOf(escalatedAt)}, acknowledged_at = ${dateOf(acknowledgedAt)}
      WHERE organization_id = current_tenant() AND notice_id = ${noticeId}`;
  }

  async list(
    tx: TenantTransaction,
    of: { readonly holdId: string } | { readonly personId: string },
    { before, limit }: NoticePage,
  ): Promise<readonly HoldNotice[]> {
    const [column, value] = 'holdId' in of ? ['hold_id', of.holdId] : ['person_id', of.personId];
    const rows = await prismaOf(tx).$queryRawUnsafe<NoticeRow[]>(
      `SELECT ${COLUMNS} FROM hold_notices WHERE organization_id = current_tenant() AND ${column} = $1 AND ($2::text IS NULL OR notice_id < $2)
       ORDER BY notice_id DESC LIMIT $3`,
      ...[value, before ?? null, limit],
    );
    return rows.map(noticeOf);
  }

  async due(now: number, limit: number): Promise<readonly { organizationId: string; noticeId: string }[]> {
    const { rows } = await this.pool.query<{ organizationId: string; noticeId: string }>(
      'SELECT organization_id AS "organizationId", notice_id AS "noticeId" FROM due_hold_notices($1, $2)',
      [new Date(now), limit],
    );
    return rows;
  }
}

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

function noticeOf(row: NoticeRow): HoldNotice {
  return {
    noticeId: row.notice_id,
    holdId: row.hold_id,
    personId: row.person_id,
    message: row.message,
    escalateTo: row.escalate_to,
    aboutNotice: row.about_notice,
    sentBy: row.sent_by,
    sentAt: row.sent_at.getTime(),
    dueAt: row.due_at?.getTime() ?? null,
    reminders: row.reminders,
    remindedAt: row.reminded_at?.getTime() ?? null,
    escalatedAt: row.escalated_at?.getTime() ?? null,
    acknowledgedAt: row.acknowledged_at?.getTime() ?? null,
  };
}
