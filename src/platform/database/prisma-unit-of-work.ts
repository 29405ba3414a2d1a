import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { TenantTransaction, UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { SCHEMA } from './connection.js';
import { databaseFailure } from './database-failure.js';
import { type Prisma, PrismaClient } from './generated/client.js';

class PrismaTenantTransaction implements TenantTransaction {
  constructor(
    readonly organizationId: string,
    readonly prisma: Prisma.TransactionClient,
  ) {}
}

/**
 * The Prisma client of a transaction, for repositories only. There is no other way to a client: the raw one is private, so
 * no query can run without its tenant.
 */
export function prismaOf(tx: TenantTransaction): Prisma.TransactionClient {
  if (!(tx instanceof PrismaTenantTransaction)) throw new Error('this transaction was not opened by PrismaUnitOfWork');
  return tx.prisma;
}

/** Runs work in an interactive transaction with `app.tenant` set for that transaction alone (decision record 0005). */
export class PrismaUnitOfWork implements UnitOfWork {
  private readonly prisma: PrismaClient;

  constructor(
    pool: pg.Pool,
    private readonly waitMs: number,
  ) {
    this.prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: SCHEMA }) });
  }

  async withTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    try {
      return await this.prisma.$transaction(
        async (prisma) => {
          await prisma.$queryRaw`SELECT set_config('app.tenant', ${organizationId}, true)`;
          return work(new PrismaTenantTransaction(organizationId, prisma));
        },
        // No isolation level: naming PostgreSQL's default, READ COMMITTED, would cost a round trip.
        { maxWait: this.waitMs, timeout: 120_000 },
      );
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect();
  }
}
