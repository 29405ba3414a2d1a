import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { putHold, type TestHold } from '../support/legal-holds.js';

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  await admin.query(`CREATE TABLE things (organization_id text, id text, rooftops text[], subjects text[], at timestamptz);
    SELECT govern_table('things', 'feed_file', 'r.id', 'r.rooftops', 'r.subjects', '{"created":"r.at"}')`);
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const some = (word: string): fc.Arbitrary<string[]> =>
  fc.uniqueArray(
    fc.nat(3).map((n) => `${word}.${n}`),
    { minLength: 1, maxLength: 3 },
  );
const time = fc.nat(3).map((n) => `2026-01-0${n + 1}T00:00:00Z`);
const row = fc.record({
  id: fc.nat(5).map((n) => `id.${n}`),
  rooftops: fc.option(fc.oneof(some('roof'), fc.constant([]))),
  subjects: fc.option(fc.oneof(some('subject'), fc.constant([]))),
  at: fc.option(time),
});
const hold = fc
  .record(
    {
      rooftop_ids: some('roof'),
      subjects: some('subject'),
      record_ids: some('id'),
      categories: fc.constantFrom(['feed_file'], ['lead'], ['lead', 'feed_file']),
      from_time: time,
      until_time: time,
    },
    { requiredKeys: [] },
  )
  .filter(
    ({ from_time: from, until_time: until }) => from === undefined || until === undefined || from < until,
  ) as fc.Arbitrary<TestHold>;

// The guard looks holds up by what they name; the one definition of coverage is asked for every pair here.
const COVERED = `SELECT EXISTS (SELECT FROM things r JOIN legal_holds h USING (organization_id)
  WHERE hold_covers(h, 'feed_file', r.id, r.rooftops, r.subjects, r.at)) AS covered`;

it('refuses a statement exactly where hold_covers says that a hold covers one of its rows', async () => {
  const seen = { refused: 0, gone: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 6 }),
      fc.array(hold, { maxLength: 5 }),
      async (rows, holds) => {
        await admin.query('BEGIN');
        try {
          for (const { id, rooftops, subjects, at } of rows)
            await admin.query(`INSERT INTO things VALUES ('org.a', $1, $2, $3, $4)`, [id, rooftops, subjects, at]);
          for (const [i, one] of holds.entries()) await putHold(admin, 'org.a', `hold.${i}`, one);
          const { covered } = (await admin.query<{ covered: boolean }>(COVERED)).rows[0]!;
          const removing = admin.query('DELETE FROM things');
          if (covered) await expect(removing).rejects.toMatchObject({ code: '23001', constraint: 'legal_hold' });
          else expect((await removing).rowCount).toBe(rows.length);
          seen[covered ? 'refused' : 'gone']++;
        } finally {
          await admin.query('ROLLBACK');
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(Math.min(seen.refused, seen.gone), 'both were tried').toBeGreaterThan(10);
});
