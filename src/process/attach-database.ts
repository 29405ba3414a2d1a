import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Settings } from '../platform/config/settings.js';
import { APP_ROLE } from '../platform/database/connection.js';
import type { PreparedDatabase } from './prepare-database.js';
import { prepareDatabase } from './prepare-database.js';

/** For commands: the database of a service that runs on this data folder, else one that is started for the command alone. */
export async function attachDatabase(settings: Settings, log: (line: string) => void): Promise<PreparedDatabase> {
  if (settings.DATABASE_URL === undefined) {
    const running = await findRunning(join(settings.DATA_DIR, 'postgres'));
    if (running !== undefined) return { settings: { ...settings, ...running }, stop: () => Promise.resolve() };
  }
  return prepareDatabase(settings, log);
}

async function findRunning(dir: string): Promise<{ DATABASE_URL: string; MIGRATION_DATABASE_URL: string } | undefined> {
  const lock = await readFile(join(dir, 'data/postmaster.pid'), 'utf8').catch(() => undefined);
  const password = await readFile(join(dir, 'password'), 'utf8').catch(() => undefined);
  const port = Number(lock?.split('\n')[3]);
  if (password === undefined || !Number.isInteger(port) || port === 0) return undefined;
  const urlOf = (user: string): string => `postgres://${user}:${password.trim()}@127.0.0.1:${port}/forecourt`;
  const client = new pg.Client({ connectionString: urlOf(APP_ROLE), connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined); // a server that goes away now is a server that is not running
  try {
    await client.connect();
    return { DATABASE_URL: urlOf(APP_ROLE), MIGRATION_DATABASE_URL: urlOf('forecourt_admin') };
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}
