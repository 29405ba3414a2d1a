import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Global, Inject, Logger, Module } from '@nestjs/common';
import type pg from 'pg';
import { UNIT_OF_WORK } from '../../kernel/ports/unit-of-work.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/settings.js';
import { openPool, readLoginFacts } from './connection.js';
import { PrismaUnitOfWork } from './prisma-unit-of-work.js';

/** The application's connection pool. For infrastructure that needs plain SQL; everything else uses the unit of work. */
export const POOL = Symbol('Pool');

/** Opens the database for the whole process and closes it last. */
@Global()
@Module({
  providers: [
    {
      provide: POOL,
      inject: [SETTINGS],
      useFactory: (settings: Settings): pg.Pool =>
        openPool({
          url: settings.DATABASE_URL ?? '',
          size: settings.DATABASE_POOL_SIZE,
          waitMs: settings.DATABASE_POOL_WAIT_MS,
          name: 'forecourt',
          onError: (error) => Logger.warn(`database connection lost: ${error.message}`, 'Database'),
        }),
    },
    {
      provide: UNIT_OF_WORK,
      inject: [POOL, SETTINGS],
      useFactory: (pool: pg.Pool, settings: Settings) => new PrismaUnitOfWork(pool, settings.DATABASE_POOL_WAIT_MS),
    },
  ],
  exports: [POOL, UNIT_OF_WORK],
})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(POOL) private readonly pool: pg.Pool,
    @Inject(UNIT_OF_WORK) private readonly unitOfWork: PrismaUnitOfWork,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Refuses a login with more power than the application needs, outside the local profile (decision record 0005). */
  async onModuleInit(): Promise<void> {
    const login = await readLoginFacts(this.pool);
    if (this.settings.FORECOURT_PROFILE === 'local') return;
    if (login.superuser || login.bypassesRowSecurity) {
      throw new Error('DATABASE_URL logs in as a superuser or a role that bypasses row-level security; use a login that is only a member of forecourt_app');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.unitOfWork.close();
    await this.pool.end();
  }
}
