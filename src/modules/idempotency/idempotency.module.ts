import {
  type BeforeApplicationShutdown,
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type pg from 'pg';
import { KEYED_WRITES } from '../../kernel/ports/keyed-writes.js';
import { REQUEST_TRANSACTIONS, type RequestTransactions } from '../../kernel/ports/request-transactions.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { POOL } from '../../platform/database/database.module.js';
import { Ticker } from '../../platform/ticker.js';
import { RunKeyedWrite } from './app/run-keyed-write.js';
import { SweepKeys } from './app/sweep-keys.js';
import { PostgresIdempotencySweep } from './infra/postgres-idempotency-sweep.js';
import { PrismaIdempotencyStore } from './infra/prisma-idempotency-store.js';

/** One effect for each idempotency key. Global: the edge asks for it on every POST. */
@Global()
@Module({
  providers: [
    {
      provide: KEYED_WRITES,
      inject: [REQUEST_TRANSACTIONS, UNIT_OF_WORK],
      useFactory: (transactions: RequestTransactions, unitOfWork: UnitOfWork) =>
        new RunKeyedWrite(transactions, unitOfWork, new PrismaIdempotencyStore()),
    },
  ],
  exports: [KEYED_WRITES],
})
export class IdempotencyModule {}

const SWEEP_MS = 600_000;

/** Forgets replies that were kept long enough. Any number of processes may run it. */
@Module({
  providers: [
    {
      provide: SweepKeys,
      inject: [POOL],
      useFactory: (pool: pg.Pool) => new SweepKeys(new PostgresIdempotencySweep(pool)),
    },
  ],
})
export class IdempotencyJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly ticker: Ticker;

  constructor(@Inject(SweepKeys) sweeping: SweepKeys) {
    this.ticker = new Ticker('forget old idempotency keys', SWEEP_MS, () => sweeping.run(), new Logger('Idempotency'));
  }

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ticker.stop();
  }
}
