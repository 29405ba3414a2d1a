import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { TransactionalAudit } from '../app/transactional-audit.js';
import { auditLine } from '../domain/canonical-record.js';
import type { NoncePool } from './nonce-pool.js';

/** Appends records inside a Prisma transaction. */
export class PrismaTransactionalAudit implements TransactionalAudit {
  constructor(private readonly nonces: NoncePool) {}

  async recordInTransaction(tx: TenantTransaction, ...records: [AuditRecord, ...AuditRecord[]]): Promise<void> {
    if (records.some(({ organizationId }) => organizationId !== tx.organizationId))
      throw new Error('an audit record must belong to the organization of its transaction');
    await this.append(tx, tx.organizationId, records);
  }

  async recordBesides(tx: TenantTransaction, record: AuditRecord): Promise<void> {
    await this.append(tx, record.organizationId, [record]);
  }

  private async append(tx: TenantTransaction, organizationId: string, records: readonly AuditRecord[]): Promise<void> {
    const lines = records.map((record) => auditLine(record, this.nonces.next())).join('\n');
    await prismaOf(tx).$queryRaw`SELECT append_audit(${organizationId}, ${lines})`;
  }
}
