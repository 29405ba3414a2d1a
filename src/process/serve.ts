import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '../platform/config/settings.js';
import { Readiness } from '../platform/health/readiness.js';

/** Listens, with a message that says what to do when the port is taken. */
export async function listen(app: NestFastifyApplication, settings: Settings): Promise<void> {
  try {
    await app.listen(settings.PORT, settings.HOST);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${settings.PORT} on ${settings.HOST} is in use; set PORT to another one`, { cause: error });
  }
}

/**
 * Graceful drain: no new traffic is asked for, idle connections close, open requests finish, then jobs, audit and database
 * close in that order. After the drain timeout the process ends all the same.
 */
export function stopOnSignal(app: INestApplicationContext, settings: Settings, after: () => Promise<void>): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    readinessOf(app)?.startDraining();
    const deadline = setTimeout(() => void after().finally(() => process.exit(1)), settings.DRAIN_TIMEOUT_MS + 5000);
    app
      .close()
      .then(after)
      .then(() => process.exit(0))
      .catch((error: unknown) => {
        process.stderr.write(`stopping failed: ${String(error)}\n`);
        process.exit(1);
      })
      .finally(() => clearTimeout(deadline));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

/** Workers have no readiness: nothing routes traffic to them. */
function readinessOf(app: INestApplicationContext): Readiness | undefined {
  try {
    return app.get(Readiness, { strict: false });
  } catch {
    return undefined;
  }
}
