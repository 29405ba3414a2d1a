import { Module } from '@nestjs/common';
import type pg from 'pg';
import { POOL } from '../database/database.module.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

@Module({
  controllers: [HealthController],
  providers: [{ provide: Readiness, inject: [POOL], useFactory: (pool: pg.Pool) => new Readiness(pool) }],
  exports: [Readiness],
})
export class HealthModule {}
