import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { KeyUsageStore } from '../app/key-usage.js';

export class PrismaKeyUsageStore implements KeyUsageStore {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async write(organizationId: string, keyIds: readonly string[], minute: number): Promise<void> {
    const used = new Date(minute);
    await this.unitOfWork.withTenant(organizationId, async (tx) => {
      await prismaOf(tx).$executeRaw`
        UPDATE api_keys SET last_used_at = ${used} WHERE key_id = ANY(${[...keyIds]}) AND (last_used_at IS NULL OR last_used_at < ${used})`;
    });
  }
}
