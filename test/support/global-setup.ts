import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/platform/database/migrator.js';
import { startLocalPostgres } from '../../src/platform/embedded/local-postgres.js';
import { setDatabasePassword, TEMPLATE_DATABASE } from './template-database.js';

/**
 * One PostgreSQL for the whole run, on a free port in a temporary folder, with a migrated template from which every test
 * file makes its own database. DATABASE_URL uses that server instead; its login must be able to create databases and roles.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const own = process.env.DATABASE_URL === undefined || process.env.DATABASE_URL === '';
  const dir = await mkdtemp(join(tmpdir(), 'forecourt-test-'));
  const server = own
    ? await startLocalPostgres({ dir, log: () => undefined, settings: ['fsync=off', 'max_connections=300'] })
    : undefined;
  const adminUrl = server?.urlOf('postgres') ?? process.env.DATABASE_URL!;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${TEMPLATE_DATABASE}`);
  await admin.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await migrate(withDatabase(adminUrl, TEMPLATE_DATABASE));
  await setDatabasePassword(admin);
  await admin.end();
  project.provide('adminUrl', adminUrl);
  return async () => {
    await server?.stop();
    await rm(dir, { recursive: true, force: true });
  };
}

const withDatabase = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.toString();
};

declare module 'vitest' {
  export interface ProvidedContext {
    adminUrl: string;
  }
}
