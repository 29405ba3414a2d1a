import { APPROVAL_KINDS, type ApprovalKind, type ApprovalSubject } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { ApprovalPage, ApprovalStore, ListedState } from '../app/approval-store.js';
import type { ApprovalRecord, DecisionRecord } from '../domain/approval-record.js';

type Prisma = ReturnType<typeof prismaOf>;
type Row = NonNullable<Awaited<ReturnType<Prisma['approval']['findFirst']>>>;

export class PrismaApprovalStore implements ApprovalStore {
  async endExpired(tx: TenantTransaction, subject: ApprovalSubject, now: number): Promise<void> {
    await prismaOf(tx).approval.updateMany({
      where: { ...whereOf(tx, subject), outcome: null, expiresAt: { lte: new Date(now) } },
      data: { outcome: 'expired', endedAt: new Date(now) },
    });
  }

  async insertOpen(tx: TenantTransaction, approval: ApprovalRecord): Promise<void> {
    const { approvalId, kind, resourceId, contentHash, summary, requester } = approval;
    const data = {
      approvalId,
      kind,
      resourceId,
      contentHash,
      summary,
      organizationId: tx.organizationId,
      requesterKind: requester.actorKind,
      requester: requester.actor,
      requestedAt: new Date(approval.requestedAt),
      expiresAt: new Date(approval.expiresAt),
    };
    // A race with another request for the same content waits here for its transaction.
    await prismaOf(tx).approval.createMany({ data, skipDuplicates: true });
  }

  async lockNewest(tx: TenantTransaction, subject: ApprovalSubject): Promise<ApprovalRecord | undefined> {
    const { kind, resourceId, contentHash } = subject;
    const rows = await prismaOf(tx).$queryRaw<{ approval_id: string }[]>`
      SELECT approval_id FROM approvals
      WHERE organization_id = ${tx.organizationId} AND kind = ${kind} AND resource_id = ${resourceId} AND content_hash = ${contentHash}
      ORDER BY (outcome IS NULL) DESC, requested_at DESC, approval_id DESC LIMIT 1 FOR UPDATE`;
    return rows[0] === undefined ? undefined : this.find(tx, rows[0].approval_id);
  }

  async lock(tx: TenantTransaction, approvalId: string): Promise<ApprovalRecord | undefined> {
    await prismaOf(tx).$queryRaw`SELECT FROM approvals WHERE approval_id = ${approvalId} FOR UPDATE`;
    return this.find(tx, approvalId);
  }

  async find(tx: TenantTransaction, approvalId: string): Promise<ApprovalRecord | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).approval.findFirst({ where: { organizationId, approvalId } });
    return row === null ? undefined : toApproval(row);
  }

  async list(
    tx: TenantTransaction,
    { state, before, limit }: ApprovalPage,
    now: number,
  ): Promise<readonly ApprovalRecord[]> {
    const rows = await prismaOf(tx).approval.findMany({
      where: {
        organizationId: tx.organizationId,
        ...(before === undefined ? {} : { approvalId: { lt: before } }),
        ...(state === undefined ? {} : stateFilter(state, new Date(now))),
      },
      orderBy: { approvalId: 'desc' }, // ids begin with their time
      take: limit,
    });
    return rows.map(toApproval);
  }

  async decisions(tx: TenantTransaction, approvalId: string): Promise<readonly DecisionRecord[]> {
    const rows = await prismaOf(tx).approvalDecision.findMany({
      where: { organizationId: tx.organizationId, approvalId },
      orderBy: [{ decidedAt: 'asc' }, { personId: 'asc' }],
    });
    return rows.map(({ personId, decision, role, reason, authenticatedAt, decidedAt }) => ({
      personId,
      decision: decision === 'approve' ? 'approve' : 'deny',
      role,
      reason,
      authenticatedAt: authenticatedAt.getTime(),
      decidedAt: decidedAt.getTime(),
    }));
  }

  async insertDecision(tx: TenantTransaction, approval: ApprovalRecord, decision: DecisionRecord): Promise<void> {
    const { authenticatedAt, decidedAt, ...rest } = decision;
    const data = {
      ...rest,
      organizationId: tx.organizationId,
      approvalId: approval.approvalId,
      requester: approval.requester.actor,
      authenticatedAt: new Date(authenticatedAt),
      decidedAt: new Date(decidedAt),
    };
    await prismaOf(tx).approvalDecision.createMany({ data, skipDuplicates: true });
  }

  async end(tx: TenantTransaction, approvalId: string, outcome: 'denied' | 'used', at: number): Promise<boolean> {
    const { count } = await prismaOf(tx).approval.updateMany({
      where: { organizationId: tx.organizationId, approvalId, outcome: null },
      data: { outcome, endedAt: new Date(at) },
    });
    return count === 1;
  }
}

const whereOf = (tx: TenantTransaction, { kind, resourceId, contentHash }: ApprovalSubject) => ({
  organizationId: tx.organizationId,
  kind,
  resourceId,
  contentHash,
});

/** An expired approval says so in its row only once somebody asked again. */
function stateFilter(state: ListedState, now: Date) {
  if (state === 'open') return { outcome: null, expiresAt: { gt: now } };
  if (state === 'expired') return { OR: [{ outcome: 'expired' }, { outcome: null, expiresAt: { lte: now } }] };
  return { outcome: state };
}

function toApproval(row: Row): ApprovalRecord {
  const { approvalId, resourceId, contentHash, summary, requesterKind, requester } = row;
  return {
    approvalId,
    kind: kindOf(row.kind),
    resourceId,
    contentHash,
    summary,
    requester: { actorKind: requesterKind, actor: requester },
    requestedAt: row.requestedAt.getTime(),
    expiresAt: row.expiresAt.getTime(),
    outcome: row.outcome as ApprovalRecord['outcome'], // a CHECK holds both lists alike
    endedAt: row.endedAt?.getTime() ?? null,
  };
}

function kindOf(column: string): ApprovalKind {
  const kind = APPROVAL_KINDS.find((known) => known === column);
  if (kind === undefined) throw new Error('an approval of a kind that this version does not know');
  return kind;
}
