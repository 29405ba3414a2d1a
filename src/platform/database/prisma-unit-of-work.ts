import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { ConsistentReads } from '../../kernel/ports/consistent-reads.js';
import { ALWAYS_PRESENT, type DatabasePresence } from '../../kernel/ports/database-presence.js';
import type { TenantTransaction, UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { SCHEMA } from './connection.js';
import { databaseAway, databaseFailure } from './database-failure.js';
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

/** The same transaction under the name of another organization. Whoever asks sets its tenant as well. */
export function sameTransaction(tx: TenantTransaction, organizationId: string): TenantTransaction {
  return tx.organizationId === organizationId ? tx : new PrismaTenantTransaction(organizationId, prismaOf(tx));
}

type Transaction = 'read write' | 'consistent read';

/** Runs work in an interactive transaction with `app.tenant` set for that transaction alone (decision record 0005). */
export class PrismaUnitOfWork implements UnitOfWork, ConsistentReads {
  private readonly prisma: PrismaClient;

  constructor(
    pool: pg.Pool,
    private readonly waitMs: number,
    private readonly presence: Pick<DatabasePresence, 'away' | 'onAway'> = ALWAYS_PRESENT,
  ) {
    this.prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: SCHEMA }) });
  }

  withTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.run('read write', organizationId, work);
  }

  readTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>, forMs?: number): Promise<T> {
    return this.run('consistent read', organizationId, work, forMs);
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect();
  }

  /** With the database away nothing waits for it: what has not begun is given up, and then never begins. */
  private async run<T>(
    kind: Transaction,
    organizationId: string,
    work: (tx: TenantTransaction) => Promise<T>,
    forMs = 120_000,
  ): Promise<T> {
    if (this.presence.away) throw databaseAway();
    let step: 'waiting' | 'begun' | 'given up' = 'waiting';
    const running = this.transaction(kind, forMs, async (prisma) => {
      await prisma.$queryRaw`SELECT set_config('app.tenant', ${organizationId}, true)`;
      if (step === 'given up') throw databaseAway();
      step = 'begun';
      return work(new PrismaTenantTransaction(organizationId, prisma));
    });
    let stop = (): void => undefined;
    const gone = new Promise<never>((_, reject) => {
      stop = this.presence.onAway(() => {
        if (step !== 'waiting') return;
        step = 'given up';
        running.catch(() => undefined); // nobody else hears how it ends
        reject(databaseAway());
      });
    });
    try {
      return await Promise.race([running, gone]);
    } catch (error) {
      throw databaseFailure(error);
    } finally {
      stop();
    }
  }

  private transaction<T>(
    kind: Transaction,
    timeout: number,
    work: (prisma: Prisma.TransactionClient) => Promise<T>,
  ): Promise<T> {
    // No isolation level for a change: naming PostgreSQL's default, READ COMMITTED, would cost a round trip.
    const isolation = kind === 'consistent read' ? { isolationLevel: 'RepeatableRead' as const } : {};
    return this.prisma.$transaction(work, { maxWait: this.waitMs, timeout, ...isolation });
  }
}
