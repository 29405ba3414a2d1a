import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../../platform/database/prisma-unit-of-work.js';
import type { AuditTargetStore, StoredTarget, TargetChange } from '../../app/outside/audit-target-store.js';
import type { AuditTarget, AuditTargetKind } from '../../domain/audit-target.js';

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof prismaOf>['auditTarget']['findFirst']>>>;

export class PrismaAuditTargetStore implements AuditTargetStore {
  async insert(tx: TenantTransaction, target: AuditTarget): Promise<void> {
    const { targetId, version, kind, address, witnessKey, timeZone, secretNumber } = target;
    const { organizationId } = tx;
    const at = new Date(target.createdAt);
    await prismaOf(tx).auditTarget.create({
      data: {
        ...{ organizationId, targetId, version, kind, address, witnessKey, timeZone, secretNumber },
        ...{ createdAt: at, nextAttemptAt: at, revokedAt: null },
      },
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

  async change(
    tx: TenantTransaction,
    before: AuditTarget,
    { address, timeZone }: TargetChange,
    at: number,
  ): Promise<boolean> {
    const { count } = await prismaOf(tx).auditTarget.updateMany({
      where: inForce(tx, before),
      data: { address, timeZone, nextAttemptAt: new Date(at), version: { increment: 1 } },
    });
    return count === 1;
  }

  async rotate(tx: TenantTransaction, before: AuditTarget, previousSecretUntil: number | null): Promise<boolean> {
    const until = previousSecretUntil === null ? null : new Date(previousSecretUntil);
    const { count } = await prismaOf(tx).auditTarget.updateMany({
      where: inForce(tx, before),
      data: { secretNumber: { increment: 1 }, previousSecretUntil: until, version: { increment: 1 } },
    });
    return count === 1;
  }

  async revoke(tx: TenantTransaction, targetId: string, at: number): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).auditTarget.updateMany({
      where: { organizationId, targetId, revokedAt: null },
      data: { revokedAt: new Date(at), version: { increment: 1 } },
    });
  }
}

const inForce = ({ organizationId }: TenantTransaction, { targetId, version }: AuditTarget) =>
  ({ organizationId, targetId, version, revokedAt: null }) as const;

function toTarget(row: Row): StoredTarget {
  const { targetId, version, address, witnessKey, timeZone, secretNumber, failures, problem } = row;
  return {
    targetId,
    version,
    kind: row.kind as AuditTargetKind,
    address,
    witnessKey,
    timeZone,
    createdAt: row.createdAt.getTime(),
    revokedAt: row.revokedAt?.getTime() ?? null,
    secretNumber,
    previousSecretUntil: row.previousSecretUntil?.getTime() ?? null,
    failures,
    problem,
    deliveredAt: row.deliveredAt?.getTime() ?? null,
    witnessedSize: Number(row.witnessedSize),
  };
}
