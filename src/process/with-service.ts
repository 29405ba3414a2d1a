import { NestFactory } from '@nestjs/core';
import type { Settings } from '../platform/config/settings.js';
import { WorkerModule } from '../worker.module.js';
import { attachDatabase } from './attach-database.js';
import type { ServiceParts } from './service-parts.js';
import { partsOf } from './service-parts.js';

/** Runs a command's work on the service's own parts, without a port and without taking jobs; closes everything after it. */
export async function withService<T>(settings: Settings, work: (service: ServiceParts) => Promise<T>): Promise<T> {
  const database = await attachDatabase(settings, () => undefined);
  try {
    const app = await NestFactory.createApplicationContext(
      WorkerModule.forRoot(database.settings, { takeJobs: false }),
      { logger: ['error'], abortOnError: false },
    );
    try {
      return await work(partsOf(app));
    } finally {
      await app.close();
    }
  } finally {
    await database.stop();
  }
}
