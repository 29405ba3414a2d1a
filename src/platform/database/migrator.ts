import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runMigrations as runQueueMigrations } from 'bullmq';
import pg from 'pg';
import { APP_ROLE, OWNER_ROLE, QUEUE_SCHEMA, SCHEMA } from './connection.js';

const PRISMA_DIR = fileURLToPath(new URL('../../../prisma/', import.meta.url));
const LOCK_KEY = 4_701_966;

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

export interface MigrationReport {
  readonly applied: readonly string[];
  readonly alreadyApplied: number;
}

/**
 * Brings the database to this version: roles, then each migration in its own transaction, then the queue's tables.
 * Keeps Prisma's folder layout and bookkeeping table, but needs no engine (decision record 0004). Forward only.
 * @throws Error when an applied migration was changed afterwards or the database is ahead of this version.
 */
export async function migrate(url: string, log: (line: string) => void = () => undefined): Promise<MigrationReport> {
  const client = new pg.Client({ connectionString: url, application_name: 'forecourt-migrate' });
  client.on('error', () => undefined); // a lost connection surfaces in the query that was running
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    await client.query(await readFile(join(PRISMA_DIR, 'bootstrap/roles.sql'), 'utf8'));
    await client.query(`SET ROLE ${OWNER_ROLE}; SET search_path = ${SCHEMA};`);
    const report = await applyAll(client, log);
    await migrateQueue(client);
    return report;
  } finally {
    await client.end();
  }
}

async function applyAll(client: pg.Client, log: (line: string) => void): Promise<MigrationReport> {
  await client.query(`CREATE TABLE IF NOT EXISTS _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
    migration_name varchar(255) NOT NULL UNIQUE, logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`);
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM _prisma_migrations ORDER BY migration_name',
  );
  const known = await readMigrations();
  const applied = new Map(rows.map((r) => [r.migration_name, r.checksum]));
  refuseForeignHistory(known, applied);
  const pending = known.filter((m) => !applied.has(m.name));
  for (const migration of pending) {
    log(`applying ${migration.name}`);
    await apply(client, migration);
  }
  return { applied: pending.map((m) => m.name), alreadyApplied: applied.size };
}

function refuseForeignHistory(known: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const byName = new Map(known.map((m) => [m.name, m]));
  for (const [name, checksum] of applied) {
    const migration = byName.get(name);
    if (migration === undefined)
      throw new Error(`the database has migration ${name}, which this version does not know: run a newer version`);
    if (migration.checksum !== checksum)
      throw new Error(
        `migration ${name} was changed after it was applied: restore the file, add a new migration instead`,
      );
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(migration.sql);
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`migration ${migration.name} failed and was rolled back`, { cause: error });
  }
}

/** Migrations in the order of their names, which start with a timestamp. */
async function readMigrations(): Promise<readonly Migration[]> {
  const root = join(PRISMA_DIR, 'migrations');
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries
    .filter((e) => e.isDirectory())
    .map((e) => e.name)
    .toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(root, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** The queue's own tables, in their own schema; the application may use them but not change them. */
async function migrateQueue(client: pg.Client): Promise<void> {
  await runQueueMigrations(client, QUEUE_SCHEMA);
  await client.query(`GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO ${APP_ROLE};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO ${APP_ROLE};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${QUEUE_SCHEMA} TO ${APP_ROLE};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${QUEUE_SCHEMA} TO ${APP_ROLE};`);
}
