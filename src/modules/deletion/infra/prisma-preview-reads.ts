import type { ConsistentReads } from '../../../kernel/ports/consistent-reads.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { PreviewReads } from '../app/preview-reads.js';

/** Ten million records are read in minutes. */
const FOR_MS = 3_600_000;

/** A dry run cannot delete because its transaction is read only from its first statement on. */
export class PrismaPreviewReads implements PreviewReads {
  constructor(private readonly reads: ConsistentReads) {}

  readOnly<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const reading = async (tx: TenantTransaction): Promise<T> => {
      await prismaOf(tx).$executeRawUnsafe('SET TRANSACTION READ ONLY');
      return work(tx);
    };
    return this.reads.readTenant(organizationId, reading, FOR_MS);
  }
}
