import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../../platform/database/prisma-unit-of-work.js';
import type { AuditTargetStore, StoredTarget } from '../../app/outside/audit-target-store.js';
import type { AuditTarget, AuditTargetKind } from '../../domain/audit-target.js';

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof prismaOf>['auditTarget']['findFirst']>>>;

export class PrismaAuditTargetStore implements AuditTargetStore {
  async insert(tx: TenantTransaction, { createdAt, ...target }: AuditTarget): Promise<void> {
    const at = new Date(createdAt);
    const { organizationId } = tx;
    await prismaOf(tx).auditTarget.create({
      data: { ...target, organizationId, createdAt: at, nextAttemptAt: at, revokedAt: null },
    });
  }

  async find(tx: TenantTransaction, targetId: string): Promise<StoredTarget | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).auditTarget.findFirst({ where: { organizationId, targetId } });
    return row === null ? undefined : toTarget(row);
  }

  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StoredTarget[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).auditTarget.findMany({
      where: { organizationId, ...(after === undefined ? {} : { targetId: { gt: after } }) },
      orderBy: { targetId: 'asc' },
      take: limit,
    });
    return rows.map(toTarget);
  }

  count(tx: TenantTransaction): Promise<number> {
    const { organizationId } = tx;
    return prismaOf(tx).auditTarget.count({ where: { organizationId, revokedAt: null } });
  }

  async revoke(tx: TenantTransaction, targetId: string, at: number): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).auditTarget.updateMany({
      where: { organizationId, targetId, revokedAt: null },
      data: { revokedAt: new Date(at) },
    });
  }
}

function toTarget(row: Row): StoredTarget {
  const { targetId, address, witnessKey, timeZone, failures, problem } = row;
  return {
    targetId,
    kind: row.kind as AuditTargetKind,
    address,
    witnessKey,
    timeZone,
    createdAt: row.createdAt.getTime(),
    revokedAt: row.revokedAt?.getTime() ?? null,
    failures,
    problem,
    deliveredAt: row.deliveredAt?.getTime() ?? null,
    witnessedSize: Number(row.witnessedSize),
  };
}
