import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresUsedProofs } from '../../src/modules/auth/infra/postgres-used-proofs.js';
import { openPool } from '../../src/platform/database/connection.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const T0 = Date.parse('2026-11-30T12:00:00Z');
let database: TestDatabase;
let pools: pg.Pool[];
let now = T0;

beforeAll(async () => {
  database = await createTestDatabase();
  pools = ['one', 'other'].map((name) =>
    openPool({ url: database.appUrl, size: 4, waitMs: 2000, name, onError: () => undefined }),
  );
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

/** As a process has it, with the connections of one of two. */
const processWith = (pool: number): PostgresUsedProofs => new PostgresUsedProofs(pools[pool]!, { now: () => now });
const rows = async (): Promise<number> =>
  (await pools[0]!.query<{ n: number }>('SELECT count(*)::int AS n FROM dpop_proofs')).rows[0]!.n;

it('a proof is taken once, by whichever of many processes at the same time', async () => {
  const processes = Array.from({ length: 12 }, (_, i) => processWith(i % 2));
  for (let round = 0; round < 5; round++) {
    const digest = randomBytes(32);
    const taken = await Promise.all(processes.map((one) => one.takeOnce(digest, T0 + 120_000)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  }
});

it('a proof whose time is over may be taken again, and not before', async () => {
  const digest = randomBytes(32);
  expect(await processWith(0).takeOnce(digest, T0 + 1000)).toBe(true);
  now = T0 + 999;
  expect(await processWith(1).takeOnce(digest, T0 + 5000)).toBe(false);
  now = T0 + 1000;
  expect(await processWith(1).takeOnce(digest, T0 + 5000)).toBe(true);
  expect(await processWith(0).takeOnce(digest, T0 + 5000)).toBe(false);
});

it('what is over goes with later writes, and what is not stays', async () => {
  now = T0;
  for (let i = 0; i < 20; i++) await processWith(0).takeOnce(randomBytes(32), T0 + 2000);
  const kept = randomBytes(32);
  await processWith(0).takeOnce(kept, T0 + 600_000);
  now = T0 + 300_000;
  await processWith(1).takeOnce(randomBytes(32), T0 + 600_000);
  await expect.poll(rows).toBe(2);
  expect(await processWith(1).takeOnce(kept, T0 + 600_000)).toBe(false);
});

it('a proof that cannot be remembered counts nowhere', async () => {
  const gone = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const proofs = new PostgresUsedProofs(gone, { now: () => now });
  await expect(proofs.takeOnce(randomBytes(32), T0)).rejects.toMatchObject({ code: 'upstream.unavailable' });
  await gone.end();
});
