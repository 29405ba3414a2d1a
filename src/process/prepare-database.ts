import { join } from 'node:path';
import type { Settings } from '../platform/config/settings.js';
import { migrate } from '../platform/database/migrator.js';
import { startLocalPostgres } from '../platform/embedded/local-postgres.js';

export interface PreparedDatabase {
  /** The settings with the database that is really used. */
  readonly settings: Settings;
  stop(): Promise<void>;
}

/** The configured database, or the embedded one of the local profile. */
export async function prepareDatabase(settings: Settings, log: (line: string) => void): Promise<PreparedDatabase> {
  if (settings.DATABASE_URL !== undefined) return { settings, stop: () => Promise.resolve() };
  if (settings.FORECOURT_PROFILE !== 'local') throw new Error('DATABASE_URL is required outside the local profile');
  const postgres = await startLocalPostgres({ dir: join(settings.DATA_DIR, 'postgres'), log });
  return { settings: { ...settings, DATABASE_URL: postgres.adminUrl }, stop: () => postgres.stop() };
}

/** Applies pending migrations with the login that may. */
export async function migrateDatabase(settings: Settings, log: (line: string) => void): Promise<void> {
  const url = settings.MIGRATION_DATABASE_URL ?? settings.DATABASE_URL;
  if (url === undefined) throw new Error('MIGRATION_DATABASE_URL or DATABASE_URL is required');
  const report = await migrate(url, log);
  log(report.applied.length === 0 ? `the database is up to date (${report.alreadyApplied} migrations)` : `applied ${report.applied.length} migrations`);
}
