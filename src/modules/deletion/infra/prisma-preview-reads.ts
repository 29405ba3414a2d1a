import type { ConsistentReads } from '../../../kernel/ports/consistent-reads.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { PreviewReads } from '../app/preview-reads.js';

/** A dry run cannot delete because its transaction is read only from its first statement on. */
export class PrismaPreviewReads implements PreviewReads {
  constructor(private readonly reads: ConsistentReads) {}

  readOnly<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.reads.readTenant(organizationId, async (tx) => {
      await prismaOf(tx).$executeRawUnsafe('SET TRANSACTION READ ONLY');
      return work(tx);
    });
  }
}
