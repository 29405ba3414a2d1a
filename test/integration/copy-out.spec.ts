import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../src/platform/database/connection.js';
import { copyOut } from '../../src/platform/database/copy-out.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.appUrl, size: 2, waitMs: 5000, name: 'copy-out', onError: () => undefined });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const within = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect();
  client.on('error', () => undefined);
  try {
    return await work(client);
  } finally {
    client.release(true);
  }
};

describe('copying out of the database', () => {
  it('gives every byte in order, however long it becomes', () =>
    within(async (client) => {
      const text = await copyOut(client, `COPY (SELECT n, repeat('x', 90) FROM generate_series(1, 40000) n) TO STDOUT`);
      const lines = Array.from({ length: 40_000 }, (_, i) => `${i + 1}\t${'x'.repeat(90)}\n`);
      expect(text.toString()).toBe(lines.join(''));
    }));

  it('ends with the error of a statement that fails in its middle, and leaves the connection usable', () =>
    within(async (client) => {
      await expect(
        copyOut(client, 'COPY (SELECT 1 / (n - 30000) FROM generate_series(1, 40000) n) TO STDOUT'),
      ).rejects.toMatchObject({ code: '22012' });
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      expect((await copyOut(client, 'COPY (SELECT 2) TO STDOUT')).toString()).toBe('2\n');
    }));

  it('ends with an error where the server ends the connection, never with a part', () =>
    within(async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const slow = copyOut(client, 'COPY (SELECT n, pg_sleep(0.001) FROM generate_series(1, 60000) n) TO STDOUT');
      const failed = expect(slow).rejects.toThrow();
      await new Promise((done) => setTimeout(done, 100));
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
      await failed;
    }));

  it('copies nothing in', () =>
    within(async (client) => {
      await client.query('CREATE TEMPORARY TABLE taken (n integer)').catch(() => undefined);
      await expect(copyOut(client, 'COPY taken FROM STDIN')).rejects.toThrow();
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    }));
});
