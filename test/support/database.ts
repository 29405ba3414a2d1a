import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { APP_PASSWORD, TEMPLATE_DATABASE } from './template-database.js';

export interface TestDatabase {
  /** As forecourt_app, the way the service connects. */
  readonly appUrl: string;
  /** As the server's superuser: to look behind row-level security and to break things. */
  readonly adminUrl: string;
  drop(): Promise<void>;
}

/** A fresh database with every migration applied. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('adminUrl');
  const name = `forecourt_test_${randomBytes(6).toString('hex')}`;
  await asAdmin(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`));
  const adminUrl = new URL(server);
  adminUrl.pathname = `/${name}`;
  const appUrl = new URL(adminUrl);
  appUrl.username = 'forecourt_app';
  appUrl.password = APP_PASSWORD;
  return {
    appUrl: appUrl.toString(),
    adminUrl: adminUrl.toString(),
    drop: () => asAdmin(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** A copy of a database that nobody is connected to: what a backup of this moment would restore. */
export async function copyTestDatabase(original: TestDatabase): Promise<TestDatabase> {
  const server = inject('adminUrl');
  const source = new URL(original.adminUrl).pathname.slice(1);
  const name = `${source}_copy_${randomBytes(3).toString('hex')}`;
  await asAdmin(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${source}`));
  const at = (url: string): string => {
    const changed = new URL(url);
    changed.pathname = `/${name}`;
    return changed.toString();
  };
  return {
    appUrl: at(original.appUrl),
    adminUrl: at(original.adminUrl),
    drop: () => asAdmin(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

async function asAdmin(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the server may be stopped by the test
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
