import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CategoryCutoffs } from '../../src/kernel/retention/category-cutoffs.js';
import { isOver } from '../../src/modules/retention/domain/cutoffs-of.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

interface Row {
  readonly at: number;
  readonly rooftops: readonly string[] | null;
}

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

const limit = fc.option(fc.integer({ min: 0, max: 9 }), { freq: 3 });
const cutoff = fc.record({ floorBefore: limit, ceilingBefore: limit });
const rooftop = fc.constantFrom('roof.a', 'roof.b', "roof.'c");
const cutoffs = fc
  .record({ standard: cutoff, unknown: cutoff, own: fc.dictionary(rooftop, cutoff, { maxKeys: 3 }) })
  .map(({ standard, unknown, own }): CategoryCutoffs => ({
    category: 'lead',
    clock: 'created',
    action: 'delete',
    standard,
    unknown,
    rooftops: Object.entries(own).map(([rooftopId, limits]) => ({ rooftopId, ...limits })),
    ruleIds: [],
  }));
const row = fc.record({
  at: fc.integer({ min: 0, max: 10 }),
  rooftops: fc.option(fc.uniqueArray(fc.oneof(rooftop, fc.constant('roof.d')), { maxLength: 3 }), { freq: 5 }),
});

/** What the query of a preview and of a run asks of each row. */
async function conditionOf(rules: CategoryCutoffs): Promise<string> {
  const table = JSON.stringify({ table_name: 'r', clocks: { created: 'r.at' }, rooftops: 'r.rooftops' });
  const { rows } = await admin.query<{ condition: string }>(
    'SELECT over_condition(jsonb_populate_record(NULL::governed_tables, $1), $2) AS condition',
    [table, JSON.stringify(rules)],
  );
  return rows[0]!.condition;
}

async function overIn(rules: CategoryCutoffs, records: readonly Row[]): Promise<readonly boolean[]> {
  const { rows } = await admin.query<{ over: boolean }>(
    `SELECT (${await conditionOf(rules)}) AS over FROM (
       SELECT n, 'epoch'::timestamptz + (e ->> 'at')::integer * interval '1 millisecond' AS at,
         CASE WHEN e -> 'rooftops' <> 'null' THEN ARRAY(SELECT jsonb_array_elements_text(e -> 'rooftops')) END AS rooftops
       FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS l (e, n) OFFSET 0) AS r ORDER BY n`,
    [JSON.stringify(records)],
  );
  return rows.map(({ over }) => over);
}

describe('what a run asks of a record', () => {
  it('is what the rules say, for any cutoffs of any rooftops', async () => {
    await fc.assert(
      fc.asyncProperty(cutoffs, fc.array(row, { minLength: 1, maxLength: 40 }), async (rules, records) => {
        const said = records.map(({ at, rooftops }) =>
          isOver({ category: 'lead', recordId: 'r', clocks: { created: at }, rooftops } as never, rules),
        );
        expect(await overIn(rules, records)).toEqual(said);
      }),
      { numRuns: 150 },
    );
  });

  it('is no call of a function, but for a record of several rooftops', async () => {
    const own = (rooftopId: string, ceilingBefore: number) => ({ rooftopId, floorBefore: null, ceilingBefore });
    const standard = { floorBefore: null, ceilingBefore: 5 };
    const rules: CategoryCutoffs = {
      ...{ category: 'lead', clock: 'created', action: 'delete', standard, unknown: standard, ruleIds: [] },
      rooftops: [own('roof.a', 3), own('roof.b', 9)],
    };
    const calls = async (records: readonly Row[]): Promise<number> => {
      await admin.query(`BEGIN; SET LOCAL track_functions = 'all'`);
      await overIn(rules, records);
      const { rows } = await admin.query<{ calls: number }>(
        `SELECT coalesce(sum(calls), 0)::integer AS calls FROM pg_stat_xact_user_functions WHERE funcname = 'rooftops_over'`,
      );
      await admin.query('ROLLBACK');
      return rows[0]!.calls;
    };
    const few = [['roof.a'], ['roof.b'], ['roof.d'], [], null].map((rooftops) => ({ at: 1, rooftops }));
    expect(await calls(few)).toBe(0);
    expect(await calls([{ at: 1, rooftops: ['roof.a', 'roof.b'] }])).toBe(1);
  });
});
