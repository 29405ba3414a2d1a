import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  await admin.query(
    `CREATE TABLE things (organization_id text, id text, rooftop text, at timestamptz, done boolean DEFAULT true)`,
  );
  await admin.query(`SELECT govern_table('things', 'feed_file', 'r.id', 'CASE WHEN r.rooftop IS NULL THEN NULL ELSE ARRAY[r.rooftop] END',
    '''{}''::text[]', '{"created":"r.at"}', 'r.done')`);
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const hold = (id: string, columns: Record<string, unknown>): Promise<unknown> => {
  const all = { covered: 0, root: Buffer.alloc(32), counted_at: new Date(), ...columns };
  const names = Object.keys(all);
  return admin.query(
    `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, ${names.join(', ')})
     VALUES ('org.a', '${id}', 'Smith v. Group', 'claim', 'person.a', ${names.map((_, i) => `$${i + 1}`).join(', ')})`,
    Object.values(all),
  );
};

/** What removing everything answers, in a transaction that is rolled back. */
async function removing(statement: string, level = 'READ COMMITTED'): Promise<string> {
  await admin.query(`BEGIN ISOLATION LEVEL ${level}`);
  try {
    const { rowCount } = await admin.query(statement);
    return `${rowCount} gone`;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  } finally {
    await admin.query('ROLLBACK');
  }
}

describe('a governed table', () => {
  it('gives up what no hold covers, and nothing that one does, whoever asks and in whatever mode', async () => {
    await admin.query(`INSERT INTO things VALUES ('org.a', 'one', 'roof.1', '2026-01-01', true), ('org.a', 'two', 'roof.2', '2026-02-01', true),
      ('org.a', 'three', NULL, '2026-03-01', true), ('org.a', 'four', 'roof.1', '2026-01-01', false), ('org.b', 'one', 'roof.1', '2026-01-01', true)`);
    expect(await removing('DELETE FROM things')).toBe('5 gone');
    await hold('hold.roof', { rooftop_ids: ['roof.1'], until_time: '2026-01-15' });
    expect(await removing(`DELETE FROM things WHERE id = 'two'`)).toBe('1 gone');
    expect(await removing(`DELETE FROM things WHERE NOT done`)).toBe('1 gone');
    expect(await removing(`DELETE FROM things WHERE organization_id = 'org.b'`)).toBe('1 gone');
    for (const mode of ['origin', 'replica']) {
      await admin.query(`SET session_replication_role = ${mode}`);
      expect(await removing(`DELETE FROM things WHERE id = 'one'`)).toBe(
        '23001 hold hold.roof covers a record of things',
      );
      expect(await removing('TRUNCATE things')).toBe('23001 records are never truncated (things)');
    }
    await admin.query('RESET session_replication_role');
    expect(await removing(`DELETE FROM things WHERE id = 'two'`, 'REPEATABLE READ')).toMatch(
      /^23001 .* READ COMMITTED/,
    );
  });
});
