import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLOCK_BASES, RETENTION_CATEGORIES } from '../../src/kernel/retention/retention-categories.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

interface Governed {
  readonly table_name: string;
  readonly category: string;
  readonly record_id: string;
  readonly rooftops: string;
  readonly subjects: string;
  readonly clocks: Readonly<Record<string, string>>;
  readonly applies: string;
  readonly disposable: string;
}

let database: TestDatabase;
let admin: pg.Client;
let governed: readonly Governed[];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  governed = (await admin.query<Governed>('SELECT * FROM governed_tables ORDER BY table_name')).rows;
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

describe('a governed table', () => {
  it('is read by expressions that the retention role may run, each of its type', async () => {
    await admin.query('BEGIN; SET LOCAL ROLE forecourt_retention');
    for (const g of governed) {
      const clocks = Object.entries(g.clocks);
      const { fields } = await admin.query(
        `SELECT pg_typeof(${g.record_id})::text, pg_typeof(${g.rooftops})::text FROM ${g.table_name} r LIMIT 0`,
      );
      expect(fields).toHaveLength(2);
      await admin.query(
        `SELECT ${g.record_id}, ${g.rooftops}, ${g.subjects}, ${clocks.map(([, sql]) => sql).join(', ')}
         FROM ${g.table_name} r WHERE r.organization_id = 'org.a' AND (${g.applies}) AND (${g.disposable})`,
      );
      expect(Object.keys(RETENTION_CATEGORIES)).toContain(g.category);
      expect(clocks.filter(([basis]) => !(CLOCK_BASES as readonly string[]).includes(basis))).toEqual([]);
    }
    await admin.query('ROLLBACK');
  });
});
