import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { DraftedRun } from '../app/run-store.js';
import type { StandingApprovalStore, StandingPage } from '../app/standing-approval-store.js';
import type { StandingApproval, StandingContent } from '../domain/standing-approval.js';
import { msOf } from './retention-run-rows.js';

const AT = ['requested_at', 'expires_at', 'approved_at', 'revoked_at'].map((at) => `${msOf(at)} AS ${at}`).join(', ');
const SELECT = `SELECT organization_id, standing_id, policy_id, policy_version, policy_hash, categories, record_cap, reason, requester_kind, requested_by,
    content_hash, approval_id, approvers, revoked_by, ${AT}
  FROM retention_standing_approvals WHERE organization_id = current_tenant()`;
const MINE = 'organization_id = current_tenant() AND standing_id = $1';

interface StandingRow {
  readonly organization_id: string;
  readonly standing_id: string;
  readonly policy_id: string;
  readonly policy_version: number;
  readonly policy_hash: string;
  readonly categories: string[];
  readonly record_cap: number;
  readonly reason: string;
  readonly requester_kind: string;
  readonly requested_by: string;
  readonly content_hash: string;
  readonly approval_id: string | null;
  readonly approvers: string[] | null;
  readonly revoked_by: string | null;
  readonly requested_at: number;
  readonly expires_at: number;
  readonly approved_at: number | null;
  readonly revoked_at: number | null;
}

/** Standing approvals in PostgreSQL (migration 48), which also refuses whatever they do not carry. */
export class PostgresStandingApprovals implements StandingApprovalStore {
  constructor(private readonly pool: pg.Pool) {}

  async add(tx: TenantTransaction, content: StandingContent, contentHash: string): Promise<void> {
    const { standingId, policy, categories, recordCap, reason, requester } = content;
    await prismaOf(tx).$executeRaw`
      INSERT INTO retention_standing_approvals (organization_id, standing_id, policy_id, policy_version, policy_hash, categories, record_cap, reason,
        requester_kind, requested_by, requested_at, expires_at, content_hash)
      VALUES (current_tenant(), ${standingId}, ${policy.policyId}, ${policy.version}, ${policy.contentHash}, ${[...categories]}::text[], ${recordCap}, ${reason},
        ${requester.actorKind}, ${requester.actor}, ${new Date(content.requestedAt)}, ${new Date(content.expiresAt)}, ${contentHash})`;
  }

  find(tx: TenantTransaction, standingId: string): Promise<StandingApproval | undefined> {
    return one(tx, standingId, '');
  }

  lock(tx: TenantTransaction, standingId: string): Promise<StandingApproval | undefined> {
    return one(tx, standingId, 'FOR UPDATE');
  }

  async list(tx: TenantTransaction, { after, limit }: StandingPage): Promise<readonly StandingApproval[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<StandingRow[]>(
      `${SELECT} AND ($1::text IS NULL OR standing_id < $1) ORDER BY standing_id DESC LIMIT $2`,
      ...[after ?? null, limit],
    );
    return rows.map(standingOf);
  }

  approve(tx: TenantTransaction, standingId: string, approvalId: string, approvers: readonly string[]): Promise<void> {
    const set = 'approval_id = $2, approvers = $3::text[], approved_at = clock_timestamp()';
    return update(tx, `UPDATE retention_standing_approvals SET ${set} WHERE ${MINE}`, [
      standingId,
      approvalId,
      approvers,
    ]);
  }

  revoke(tx: TenantTransaction, standingId: string, by: string): Promise<void> {
    const set = 'revoked_at = clock_timestamp(), revoked_by = $2';
    return update(tx, `UPDATE retention_standing_approvals SET ${set} WHERE ${MINE}`, [standingId, by]);
  }

  async due(most: number): Promise<readonly { organizationId: string; standingId: string }[]> {
    const { rows } = await this.pool.query<{ organizationId: string; standingId: string }>(
      'SELECT organization_id AS "organizationId", standing_id AS "standingId" FROM due_retention_sweeps($1)',
      [most],
    );
    return rows;
  }

  async takeToday(tx: TenantTransaction, standingId: string): Promise<boolean> {
    const today = `(clock_timestamp() AT TIME ZONE 'UTC')::date`;
    const taken = await prismaOf(tx).$executeRawUnsafe(
      `UPDATE retention_standing_approvals SET swept_on = ${today} WHERE ${MINE} AND (swept_on IS NULL OR swept_on < ${today})`,
      standingId,
    );
    return taken === 1;
  }

  async addRun(tx: TenantTransaction, draft: DraftedRun, standingId: string): Promise<void> {
    const { runId, requester, reason, categories, hashKey } = draft;
    await prismaOf(tx).$executeRaw`
      INSERT INTO retention_runs (organization_id, run_id, requester_kind, requested_by, reason, categories, hash_key, standing_id)
      VALUES (current_tenant(), ${runId}, ${requester.actorKind}, ${requester.actor}, ${reason}, ${[...(categories ?? [])]}::text[], ${hashKey}, ${standingId})`;
  }

  async previewed(most: number): Promise<readonly { organizationId: string; runId: string }[]> {
    const { rows } = await this.pool.query<{ organizationId: string; runId: string }>(
      'SELECT organization_id AS "organizationId", run_id AS "runId" FROM previewed_retention_sweeps($1)',
      [most],
    );
    return rows;
  }

  leaveToPeople(tx: TenantTransaction, runId: string, reason: string): Promise<void> {
    const mine = 'organization_id = current_tenant() AND run_id = $1';
    return update(tx, `UPDATE retention_runs SET standing_refused = $2 WHERE ${mine}`, [runId, reason]);
  }
}

async function one(tx: TenantTransaction, standingId: string, lock: string): Promise<StandingApproval | undefined> {
  const rows = await prismaOf(tx).$queryRawUnsafe<StandingRow[]>(`${SELECT} AND standing_id = $1 ${lock}`, standingId);
  return rows[0] === undefined ? undefined : standingOf(rows[0]);
}

async function update(tx: TenantTransaction, statement: string, values: readonly unknown[]): Promise<void> {
  if ((await prismaOf(tx).$executeRawUnsafe(statement, ...values)) !== 1)
    throw new Error('a row that was found is not there');
}

function standingOf(row: StandingRow): StandingApproval {
  const { approval_id: approvalId, approved_at: approvedAt, revoked_at: at, revoked_by: by } = row;
  const approved = approvalId !== null && approvedAt !== null;
  return {
    organizationId: row.organization_id,
    standingId: row.standing_id,
    policy: { policyId: row.policy_id, version: row.policy_version, contentHash: row.policy_hash },
    categories: row.categories,
    recordCap: row.record_cap,
    reason: row.reason,
    requester: { actorKind: row.requester_kind, actor: row.requested_by },
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    contentHash: row.content_hash,
    approval: approved ? { approvalId, approvers: row.approvers ?? [], approvedAt } : undefined,
    revoked: at !== null && by !== null ? { at, by } : undefined,
  };
}
