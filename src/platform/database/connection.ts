import type { Socket } from 'node:net';
import pg from 'pg';

/** The role that every request and job works under (decision record 0005). */
export const APP_ROLE = 'forecourt_app';
export const OWNER_ROLE = 'forecourt_owner';
export const SCHEMA = 'forecourt';
export const QUEUE_SCHEMA = 'bullmq';

// The server's own cancellation comes first: it says for certain that nothing was written.
const MUTE_SERVER_MS = 200;

export interface PoolOptions {
  readonly url: string;
  readonly size: number;
  readonly waitMs: number;
  readonly name: string;
  /** How long a statement may take before the server cancels it, or its connection is given up if the server is mute. */
  readonly statementMs?: number;
  /** Where the sockets of the connections come from; ordinary ones without it. */
  readonly socket?: () => Socket;
  readonly onError: (error: Error) => void;
}

/**
 * Opens a pool whose connections work as the application role. The role and search path are start-up parameters, so no
 * connection can be handed out without them.
 */
export function openPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size,
    connectionTimeoutMillis: options.waitMs,
    idleTimeoutMillis: 60_000,
    application_name: options.name,
    ...(options.socket === undefined ? {} : { stream: options.socket }),
    ...(options.statementMs === undefined
      ? {}
      : { statement_timeout: options.statementMs, query_timeout: options.statementMs + MUTE_SERVER_MS }),
    options: `-c role=${APP_ROLE} -c search_path=${SCHEMA} -c idle_in_transaction_session_timeout=60000 -c timezone=UTC -c default_transaction_isolation=read\\ committed`,
  });
  // A checked-out client emits `error` when the server goes away; without a listener that ends the process.
  pool.on('error', options.onError);
  pool.on('connect', (client) => client.on('error', options.onError));
  return pool;
}

/** What the connected login is; start-up refuses more power than the application needs. */
export interface LoginFacts {
  readonly role: string;
  readonly login: string;
  readonly superuser: boolean;
  readonly bypassesRowSecurity: boolean;
}

export async function readLoginFacts(pool: pg.Pool): Promise<LoginFacts> {
  const { rows } = await pool.query<{ role: string; login: string; superuser: boolean; bypass: boolean }>(
    `SELECT current_user AS role, session_user AS login, bool_or(rolsuper) AS superuser, bool_or(rolbypassrls) AS bypass
     FROM pg_roles WHERE rolname IN (current_user, session_user)`,
  );
  const row = rows[0];
  if (row === undefined) throw new Error('the database did not say who is connected');
  return { role: row.role, login: row.login, superuser: row.superuser, bypassesRowSecurity: row.bypass };
}
