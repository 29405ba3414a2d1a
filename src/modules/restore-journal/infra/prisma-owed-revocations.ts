import type pg from 'pg';
import type { JournalledRevocation } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { OwedRevocation, OwedRevocations } from '../app/owed-revocations.js';

const OLDEST = `SELECT organization_id AS "organizationId", owed_id AS "owedId", revocation FROM owed_revocations($1)`;

export class PrismaOwedRevocations implements OwedRevocations {
  constructor(private readonly pool: pg.Pool) {}

  async owe(tx: TenantTransaction, owedId: string, revocation: JournalledRevocation): Promise<void> {
    await prismaOf(tx).$executeRaw`INSERT INTO restore_journal_owed (organization_id, owed_id, revocation)
      VALUES (${tx.organizationId}, ${owedId}, ${JSON.stringify(revocation)}::jsonb)`;
  }

  async oldest(limit: number): Promise<readonly OwedRevocation[]> {
    return (await this.pool.query<OwedRevocation>(OLDEST, [limit])).rows;
  }

  async settle(tx: TenantTransaction, owedId: string): Promise<boolean> {
    const deleted = await prismaOf(tx).$executeRaw`DELETE FROM restore_journal_owed WHERE owed_id = ${owedId}`;
    return deleted === 1;
  }
}
