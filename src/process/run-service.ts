import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { ApiModule } from '../api.module.js';
import type { Clock } from '../kernel/time.js';
import { registerOAuthParser } from '../modules/authorization-server/index.js';
import { registerUploadParsers } from '../modules/inventory/index.js';
import type { Settings } from '../platform/config/settings.js';
import { createHttpApp } from '../platform/http/create-http-app.js';
import { logOptions } from '../platform/logging/log-options.js';
import { NestLogger } from '../platform/logging/nest-logger.js';
import { OpenApiDescription } from '../surfaces/ops/openapi/openapi.controller.js';
import { WorkerModule } from '../worker.module.js';
import { listen, stopOnSignal } from './serve.js';

const NOTHING_MORE = (): Promise<void> => Promise.resolve();

/** The HTTP application, initialised and not yet listening; with `takeJobs` it works on background jobs, too. */
export async function openHttpApp(
  settings: Settings,
  options: { readonly takeJobs?: boolean; readonly clock?: Clock } = {},
): Promise<NestFastifyApplication> {
  const app = await createHttpApp(ApiModule.forRoot(settings, options), settings, (fastify) => {
    registerUploadParsers(fastify);
    registerOAuthParser(fastify);
  });
  app.get(OpenApiDescription).describes(app);
  return app;
}

/** Role `api`: answers requests; another process works on the jobs. */
export async function runApi(settings: Settings): Promise<void> {
  const app = await openHttpApp(settings);
  stopOnSignal(app, settings, NOTHING_MORE);
  await listen(app, settings);
}

/** Role `worker`: background jobs only, no port. */
export async function runWorker(settings: Settings): Promise<void> {
  const logger = new NestLogger(pino(logOptions(settings)));
  const app = await NestFactory.createApplicationContext(WorkerModule.forRoot(settings, { takeJobs: true }), {
    logger,
    abortOnError: false,
  });
  stopOnSignal(app, settings, NOTHING_MORE);
}
