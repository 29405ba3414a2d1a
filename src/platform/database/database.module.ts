import { Global, Inject, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type pg from 'pg';
import { CONSISTENT_READS } from '../../kernel/ports/consistent-reads.js';
import { DATABASE_PRESENCE } from '../../kernel/ports/database-presence.js';
import { AFTER_COMMIT, REQUEST_TRANSACTIONS } from '../../kernel/ports/request-transactions.js';
import { UNIT_OF_WORK } from '../../kernel/ports/unit-of-work.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { openPool, readLoginFacts } from './connection.js';
import { DatabaseWatch } from './database-watch.js';
import { JoiningUnitOfWork, PrismaRequestTransactions, RequestAfterCommit } from './joining-unit-of-work.js';
import { excessivePower } from './login-power.js';
import { PrismaUnitOfWork } from './prisma-unit-of-work.js';

/** The application's connection pool. For infrastructure that needs plain SQL; everything else uses the unit of work. */
export const POOL = Symbol('Pool');
/** Opens a pool for a part that needs connections of its own. That part closes it. */
export const POOL_FACTORY = Symbol('PoolFactory');

export interface OwnPool {
  readonly name: string;
  readonly size: number;
  readonly waitMs?: number;
  readonly statementMs?: number;
}
export type PoolFactory = (options: OwnPool) => pg.Pool;

/** Changes under an idempotency key that may be under way at once; more wait, and are told to come again (decision record 0035). */
const REQUESTS_AT_ONCE = 8;
const REQUEST_UNITS = Symbol('RequestUnits');
interface OwnUnits {
  readonly pool: pg.Pool;
  readonly unitOfWork: PrismaUnitOfWork;
}

const logger = new Logger('Database');

function urlOf(settings: Settings): string {
  if (settings.DATABASE_URL !== undefined) return settings.DATABASE_URL;
  throw new Error(
    'DATABASE_URL is not set: the local profile must start its PostgreSQL before the application is composed',
  );
}

function poolFactory(settings: Settings, watch: DatabaseWatch): PoolFactory {
  const url = urlOf(settings);
  const onError = (error: Error): void => {
    logger.warn(`a database connection was lost: ${error.message}`);
  };
  const socket = watch.sockets.next;
  return (options) => openPool({ url, waitMs: settings.DATABASE_POOL_WAIT_MS, socket, onError, ...options });
}

/** Opens the database for the whole process and closes it last. */
@Global()
@Module({
  providers: [
    {
      provide: DatabaseWatch,
      inject: [SETTINGS],
      useFactory: (settings: Settings) =>
        new DatabaseWatch({ url: urlOf(settings), silentMs: settings.DATABASE_SILENT_MS, log: logger }),
    },
    { provide: DATABASE_PRESENCE, useExisting: DatabaseWatch },
    { provide: POOL_FACTORY, inject: [SETTINGS, DatabaseWatch], useFactory: poolFactory },
    {
      provide: POOL,
      inject: [POOL_FACTORY, SETTINGS],
      useFactory: (open: PoolFactory, settings: Settings) =>
        open({ name: 'forecourt', size: settings.DATABASE_POOL_SIZE }),
    },
    {
      provide: PrismaUnitOfWork,
      inject: [POOL, SETTINGS, DatabaseWatch],
      useFactory: (pool: pg.Pool, settings: Settings, watch: DatabaseWatch) =>
        new PrismaUnitOfWork(pool, settings.DATABASE_POOL_WAIT_MS, watch),
    },
    {
      provide: UNIT_OF_WORK,
      inject: [PrismaUnitOfWork],
      useFactory: (apart: PrismaUnitOfWork) => new JoiningUnitOfWork(apart),
    },
    {
      provide: REQUEST_UNITS,
      inject: [POOL_FACTORY, SETTINGS, DatabaseWatch],
      useFactory: (open: PoolFactory, settings: Settings, watch: DatabaseWatch): OwnUnits => {
        const pool = open({ name: 'forecourt-requests', size: REQUESTS_AT_ONCE });
        return { pool, unitOfWork: new PrismaUnitOfWork(pool, settings.DATABASE_POOL_WAIT_MS, watch) };
      },
    },
    {
      provide: REQUEST_TRANSACTIONS,
      inject: [REQUEST_UNITS],
      useFactory: ({ unitOfWork }: OwnUnits) =>
        new PrismaRequestTransactions(unitOfWork, (message) => {
          logger.warn(message);
        }),
    },
    { provide: AFTER_COMMIT, useFactory: () => new RequestAfterCommit() },
    { provide: CONSISTENT_READS, useExisting: PrismaUnitOfWork },
  ],
  exports: [POOL, POOL_FACTORY, UNIT_OF_WORK, CONSISTENT_READS, DATABASE_PRESENCE, REQUEST_TRANSACTIONS, AFTER_COMMIT],
})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(POOL) private readonly pool: pg.Pool,
    @Inject(PrismaUnitOfWork) private readonly unitOfWork: PrismaUnitOfWork,
    @Inject(REQUEST_UNITS) private readonly requests: OwnUnits,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(DatabaseWatch) private readonly watch: DatabaseWatch,
  ) {}

  /** Refuses a login with more power than the application needs, outside the local profile (decision record 0005). */
  async onModuleInit(): Promise<void> {
    const problem = excessivePower(await readLoginFacts(this.pool));
    this.watch.start();
    if (problem === undefined) return;
    if (this.settings.FORECOURT_PROFILE === 'production') throw new Error(problem);
    logger.warn(problem);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.unitOfWork.close(), this.requests.unitOfWork.close()]);
    if (!this.requests.pool.ended) await this.requests.pool.end();
    if (!this.pool.ended) await this.pool.end();
    this.watch.stop();
  }
}
