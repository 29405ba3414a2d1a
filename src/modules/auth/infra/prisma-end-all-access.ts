import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { EndAllAccess } from '../app/end-all-access.js';

export class PrismaEndAllAccess implements EndAllAccess {
  async run(tx: TenantTransaction, at: number): Promise<void> {
    const { apiKey, grant, groupDelegation, agentClient, trustedIssuer } = prismaOf(tx);
    const open = { where: { organizationId: tx.organizationId, revokedAt: null }, data: { revokedAt: new Date(at) } };
    await apiKey.updateMany(open);
    await grant.updateMany(open);
    await groupDelegation.updateMany(open);
    await agentClient.updateMany(open);
    await trustedIssuer.updateMany(open);
  }
}
