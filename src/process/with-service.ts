import { NestFactory } from '@nestjs/core';
import type { Settings } from '../platform/config/settings.js';
import { WorkerModule } from '../worker.module.js';
import { attachDatabase } from './attach-database.js';

/** The parts of the service that a command may ask for, by their tokens. */
export interface ServiceParts {
  get<T>(token: symbol | (abstract new (...args: never[]) => T)): T;
}

/** Runs a command's work on the service's own parts, without a port and without taking jobs; closes everything after it. */
export async function withService<T>(settings: Settings, work: (service: ServiceParts) => Promise<T>): Promise<T> {
  const database = await attachDatabase(settings, () => undefined);
  try {
    const app = await NestFactory.createApplicationContext(WorkerModule.forRoot(database.settings, { takeJobs: false }), { logger: ['error'], abortOnError: false });
    try {
      return await work({ get: (token) => app.get(token as never, { strict: false }) });
    } finally {
      await app.close();
    }
  } finally {
    await database.stop();
  }
}
