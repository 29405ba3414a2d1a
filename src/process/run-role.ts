import { loadSettings } from '../platform/config/load-settings.js';
import type { Settings } from '../platform/config/settings.js';

const say = (line: string): void => void process.stdout.write(`forecourt: ${line}\n`);

// Each role loads what it needs, once it is known that it is asked for.
const ROLES: Readonly<Record<string, (settings: Settings) => Promise<void>>> = {
  api: async (settings) => (await import('./run-service.js')).runApi(settings),
  worker: async (settings) => (await import('./run-service.js')).runWorker(settings),
  migrate: async (settings) => {
    const { migrateDatabase, prepareDatabase } = await import('./prepare-database.js');
    const database = await prepareDatabase(settings, say);
    try {
      if (settings.DATABASE_URL !== undefined || settings.MIGRATION_DATABASE_URL !== undefined)
        await migrateDatabase(settings, say);
      say('the database is up to date');
    } finally {
      await database.stop();
    }
  },
  all: async (settings) => (await import('./run-all.js')).runAll(settings, say),
};

/**
 * Runs one role until it is stopped.
 * @throws Error with a message for the operator: unknown role, unusable configuration, database not reachable.
 */
export async function runRole(name: string | undefined): Promise<void> {
  const role = name !== undefined && Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
  if (role === undefined) throw new Error(`name a role: ${Object.keys(ROLES).join(', ')}`);
  await role(loadSettings());
}
