import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../../platform/database/prisma-unit-of-work.js';
import type { DeliveredStatements } from '../../app/outside/delivered-statements.js';

export class PrismaDeliveredStatements implements DeliveredStatements {
  async mark(tx: TenantTransaction, targetId: string, day: string, at: number): Promise<void> {
    const now = new Date(at);
    const prisma = prismaOf(tx);
    await prisma.$executeRaw`UPDATE audit_statements SET delivered_at = ${now} WHERE target_id = ${targetId} AND day = ${day}::date AND delivered_at IS NULL`;
    await prisma.auditTarget.updateMany({
      where: { organizationId: tx.organizationId, targetId },
      data: { deliveredAt: now },
    });
  }
}
