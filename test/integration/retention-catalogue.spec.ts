import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RETENTION_CATEGORIES } from '../../src/kernel/retention/retention-categories.js';
import { CATEGORY_CATALOGUE } from '../../src/modules/retention/domain/category-catalogue.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { catalogueProblems } from '../support/retention-catalogue.js';

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});
beforeEach(() => admin.query('BEGIN'));
afterEach(() => admin.query('ROLLBACK'));

describe('the catalogue of what is stored', () => {
  it('has every category, and every table of the database in one place, under guard or exempt', async () => {
    expect(Object.keys(CATEGORY_CATALOGUE)).toEqual(Object.keys(RETENTION_CATEGORIES));
    expect(await catalogueProblems(admin)).toEqual([]);
  });
});

it('names the actions of a category that the database carries out', async () => {
  const { rows } = await admin.query<{ category: string; actions: string[] }>(
    `SELECT category, array_agg(DISTINCT action ORDER BY action) AS actions FROM governed_tables, LATERAL (SELECT 'delete' AS action UNION SELECT jsonb_object_keys(steps)) AS a
     GROUP BY category ORDER BY category`,
  );
  const carriedOut = Object.fromEntries(rows.map(({ category, actions }) => [category, actions]));
  for (const [category, { actions, governed }] of Object.entries(CATEGORY_CATALOGUE))
    expect([...actions].toSorted(), category).toEqual(governed.length === 0 ? [...actions] : carriedOut[category]);
});

describe('the test above would see', () => {
  it.each([
    ['a new table', 'CREATE TABLE made_up (organization_id text)', /^made_up: neither a category nor/],
    [
      'a table that nobody listed as governed',
      `CREATE TABLE made_up (organization_id text, at timestamptz); SELECT govern_table('made_up', 'lead', $$''$$, 'NULL::text[]', 'NULL::text[]', '{"created": "r.at"}')`,
      /^made_up lead created: governed, but not listed/,
    ],
    [
      'a guard that replica mode switches off',
      'ALTER TABLE units ENABLE TRIGGER guard_holds',
      /^units: its trigger guard_holds .* does not fire always/,
    ],
    [
      'a missing guard',
      'DROP TRIGGER refuse_truncation ON feed_files',
      /^feed_files: its trigger refuse_truncation is missing/,
    ],
    [
      'a guard by row',
      'DROP TRIGGER guard_holds ON units; CREATE TRIGGER guard_holds AFTER DELETE ON units FOR EACH ROW EXECUTE FUNCTION guard_holds(); ALTER TABLE units ENABLE ALWAYS TRIGGER guard_holds',
      /^units: its trigger guard_holds/,
    ],
    [
      'a cascade',
      'ALTER TABLE units DROP CONSTRAINT units_organization_id_snapshot_id_fkey, ADD CONSTRAINT by_itself FOREIGN KEY (organization_id, snapshot_id) REFERENCES snapshots ON DELETE CASCADE',
      /^units: by_itself deletes/,
    ],
    [
      'rights on a partition',
      `DO $$ BEGIN EXECUTE (SELECT 'GRANT DELETE ON ' || inhrelid::regclass || ' TO forecourt_app' FROM pg_inherits WHERE inhparent = 'audit_events'::regclass LIMIT 1); END $$`,
      /forecourt_app may DELETE in this partition/,
    ],
    [
      'an expression that is wrong',
      `UPDATE governed_tables SET subjects = 'r.person' WHERE table_name = 'staff_codes'`,
      /^staff_codes: subjects cannot be run/,
    ],
    [
      'an expression of another type',
      `UPDATE governed_tables SET rooftops = 'r.rooftop_id' WHERE table_name = 'units'`,
      /^units: rooftops is of another type/,
    ],
    [
      'an expression that the retention role may not run',
      'REVOKE SELECT ON rooftop_inventory FROM forecourt_retention',
      /^units: disposable cannot be run/,
    ],
    [
      'a clock that a part of the category lacks',
      `UPDATE governed_tables SET clocks = '{"created": "r.built_at"}' WHERE table_name = 'snapshots'`,
      /^snapshots superseded_snapshot closed,created: not governed like this/,
    ],
    [
      'a right to delete what is called final',
      'GRANT DELETE ON audit_entries TO forecourt_app',
      /^audit_entries: exempt as never deleted/,
    ],
  ])('%s', async (_, change, problem) => {
    await admin.query(change);
    expect(await catalogueProblems(admin)).toContainEqual(expect.stringMatching(problem));
  });

  it('a category with neither guard nor exemption, and a table in two places', async () => {
    const nothing = { ...CATEGORY_CATALOGUE.lead, isStored: true };
    const lead = await catalogueProblems(admin, { ...CATEGORY_CATALOGUE, lead: nothing });
    expect(lead).toContainEqual(expect.stringMatching(/^lead: stored without guard/));
    expect(await catalogueProblems(admin, CATEGORY_CATALOGUE, { units: 'derived' })).toContain('units: in two places');
  });
});
