import type pg from 'pg';
import { databaseFailure } from './database-failure.js';

export type TransactionKind = 'read write' | 'consistent read';

const BEGIN: Readonly<Record<TransactionKind, string>> = {
  'read write': 'BEGIN',
  'consistent read': 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
};

/**
 * Plain SQL in one transaction of one tenant: for bulk work, where the way through Prisma costs more than the statement.
 * A busy event loop makes every round trip wait, so the transaction and its tenant are opened in one.
 */
export async function withTenantSql<T>(
  pool: pg.Pool,
  organizationId: string,
  kind: TransactionKind,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  try {
    const client = await pool.connect();
    try {
      return await inTransaction(client, organizationId, kind, work);
    } finally {
      client.release();
    }
  } catch (error) {
    throw databaseFailure(error);
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  organizationId: string,
  kind: TransactionKind,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  try {
    await client.query(
      `${BEGIN[kind]}; SELECT set_config('app.tenant', ${client.escapeLiteral(organizationId)}, true)`,
    );
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // a lost connection has rolled back by itself
    throw error;
  }
}
