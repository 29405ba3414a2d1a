import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Settings } from '../platform/config/settings.js';
import { APP_ROLE } from '../platform/database/connection.js';
import { migrate } from '../platform/database/migrator.js';
import { startLocalPostgres } from '../platform/embedded/local-postgres.js';

export interface PreparedDatabase {
  /** The settings with the database that is really used. */
  readonly settings: Settings;
  stop(): Promise<void>;
}

/** The configured database, or the embedded one of the local profile with its migrations applied. */
export async function prepareDatabase(settings: Settings, log: (line: string) => void): Promise<PreparedDatabase> {
  if (settings.DATABASE_URL !== undefined) {
    if (settings.FORECOURT_PROFILE === 'local') await migrateDatabase(settings, log);
    return { settings, stop: () => Promise.resolve() };
  }
  const dir = join(settings.DATA_DIR, 'postgres');
  const postgres = await startLocalPostgres({ dir, log });
  try {
    await migrateDatabase({ ...settings, MIGRATION_DATABASE_URL: postgres.adminUrl }, log);
    const appUrl = await letApplicationLogIn(postgres.adminUrl, (await readFile(join(dir, 'password'), 'utf8')).trim());
    return {
      settings: { ...settings, DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: postgres.adminUrl },
      stop: () => postgres.stop(),
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** Applies pending migrations with the login that may. */
export async function migrateDatabase(settings: Settings, log: (line: string) => void): Promise<void> {
  const url = settings.MIGRATION_DATABASE_URL ?? settings.DATABASE_URL;
  if (url === undefined) throw new Error('MIGRATION_DATABASE_URL or DATABASE_URL is required');
  const report = await migrate(url, log);
  if (report.applied.length > 0) log(`applied ${report.applied.length} migration(s)`);
}

/** Locally, too, the service works as the application role, so that row-level security means the same as in production. */
async function letApplicationLogIn(adminUrl: string, password: string): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`ALTER ROLE ${APP_ROLE} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.username = APP_ROLE;
  url.password = password;
  return url.toString();
}
