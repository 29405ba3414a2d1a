import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { TransactionalAudit } from '../app/transactional-audit.js';
import { auditLine } from '../domain/canonical-record.js';
import type { NoncePool } from './nonce-pool.js';

/** Appends one record inside a Prisma transaction. */
export class PrismaTransactionalAudit implements TransactionalAudit {
  constructor(private readonly nonces: NoncePool) {}

  async recordInTransaction(tx: TenantTransaction, record: AuditRecord): Promise<void> {
    if (record.organizationId !== tx.organizationId)
      throw new Error('an audit record must belong to the organization of its transaction');
    await this.recordBesides(tx, record);
  }

  async recordBesides(tx: TenantTransaction, record: AuditRecord): Promise<void> {
    await prismaOf(tx)
      .$queryRaw`SELECT append_audit(${record.organizationId}, ${auditLine(record, this.nonces.next())})`;
  }
}
