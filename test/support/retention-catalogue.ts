import type pg from 'pg';
import { CATEGORY_CATALOGUE, TABLES_OF_NO_CATEGORY } from '../../src/modules/retention/domain/category-catalogue.js';
import type { CategoryStorage, Exemption } from '../../src/modules/retention/domain/category-storage.js';

interface Governed {
  readonly table_name: string;
  readonly category: string;
  readonly clocks: Readonly<Record<string, string>>;
  readonly [expression: string]: unknown;
}

type Catalogue = Readonly<Record<string, CategoryStorage>>;

const BOOLEAN = 16;
const TEXT = 25;
const TEXTS = 1009;
const INSTANT = 1184;
const TYPES = { record_id: TEXT, rooftops: TEXTS, subjects: TEXTS, applies: BOOLEAN, disposable: BOOLEAN } as const;

/** What in the database and the catalogue does not fit together, one line each. Runs in the transaction of the client, if any. */
export async function catalogueProblems(
  admin: pg.Client,
  catalogue: Catalogue = CATEGORY_CATALOGUE,
  ofNone: Readonly<Record<string, Exemption>> = TABLES_OF_NO_CATEGORY,
): Promise<string[]> {
  const governed = (await admin.query<Governed>('SELECT * FROM forecourt.governed_tables ORDER BY table_name')).rows;
  const parts = [
    await placeProblems(admin, catalogue, ofNone),
    categoryProblems(catalogue),
    governedProblems(governed, catalogue),
    await guardProblems(admin, governed),
    await wayAroundProblems(admin, governed),
    await exemptionProblems(admin, catalogue, ofNone),
  ];
  for (const one of governed) parts.push(await expressionProblems(admin, one));
  return parts.flat();
}

/** Every table is in one place. */
async function placeProblems(
  admin: pg.Client,
  catalogue: Catalogue,
  ofNone: Readonly<Record<string, Exemption>>,
): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'forecourt'::regnamespace AND relkind IN ('r', 'p', 'm', 'f') AND NOT relispartition`,
  );
  const there = rows.map(({ name }) => name);
  const listed = [
    ...Object.values(catalogue).flatMap(({ governed, exempt }) => [...governed, ...Object.keys(exempt)]),
    ...Object.keys(ofNone),
  ];
  return [
    ...there
      .filter((name) => !listed.includes(name))
      .map((name) => `${name}: neither a category nor a written exemption (category-catalogue.ts)`),
    ...listed.filter((name) => !there.includes(name)).map((name) => `${name}: there is no such table`),
    ...listed.filter((name, i) => listed.indexOf(name) !== i).map((name) => `${name}: in two places`),
  ];
}

const categoryProblems = (catalogue: Catalogue): string[] =>
  Object.entries(catalogue)
    .filter(([, { isStored, governed, exempt }]) => isStored !== governed.length + Object.keys(exempt).length > 0)
    .map(([category]) => `${category}: stored without guard and exemption, or not stored and with tables`);

/** What the catalogue calls governed is governed, under the same category and with the same clocks. */
function governedProblems(governed: readonly Governed[], catalogue: Catalogue): string[] {
  const listed = Object.entries(catalogue).flatMap(([category, storage]) =>
    storage.governed.map((table) => `${table} ${category} ${storage.clocks.toSorted().join(',')}`),
  );
  const found = governed.map(
    ({ table_name, category, clocks }) => `${table_name} ${category} ${Object.keys(clocks).toSorted().join(',')}`,
  );
  return [
    ...listed.filter((line) => !found.includes(line)).map((line) => `${line}: not governed like this`),
    ...found.filter((line) => !listed.includes(line)).map((line) => `${line}: governed, but not listed like this`),
  ];
}

// After DELETE (8) with the rows that went, and before TRUNCATE (34): for whole statements, without a condition, always.
const TRIGGERS = `SELECT c.relname || ' ' || t.tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = 'forecourt'::regnamespace AND t.tgenabled = 'A' AND t.tgqual IS NULL
    AND ((t.tgfoid = 'forecourt.guard_holds()'::regprocedure AND t.tgtype = 8 AND t.tgoldtable = 'gone')
      OR (t.tgfoid = 'forecourt.refuse_truncation()'::regprocedure AND t.tgtype = 34))`;

/** Both triggers of every governed table fire always, for whole statements. */
async function guardProblems(admin: pg.Client, governed: readonly Governed[]): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(TRIGGERS);
  const found = new Set(rows.map(({ name }) => name));
  return governed.flatMap(({ table_name: table }) =>
    ['guard_holds', 'refuse_truncation']
      .filter((trigger) => !found.has(`${table} ${trigger}`))
      .map((trigger) => `${table}: its trigger ${trigger} is missing or does not fire always`),
  );
}

const WAYS_AROUND = `
  SELECT conrelid::regclass::text || ': ' || conname || ' deletes or changes its rows by itself' AS problem FROM pg_constraint
    WHERE contype = 'f' AND conrelid = ANY ($1::regclass[]) AND (confdeltype NOT IN ('a', 'r') OR confupdtype NOT IN ('a', 'r'))
  UNION ALL
  SELECT i.inhrelid::regclass::text || ': ' || a.grantee::regrole::text || ' may ' || a.privilege_type || ' in this partition, past the guard'
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid, aclexplode(c.relacl) a
    WHERE i.inhparent = ANY ($1::regclass[]) AND a.grantee <> c.relowner
  ORDER BY 1`;

async function wayAroundProblems(admin: pg.Client, governed: readonly Governed[]): Promise<string[]> {
  const tables = governed.map(({ table_name: table }) => `forecourt.${table}`);
  return (await admin.query<{ problem: string }>(WAYS_AROUND, [tables])).rows.map(({ problem }) => problem);
}

/** What is never deleted cannot be: neither role has the right, whatever triggers there are. */
async function exemptionProblems(
  admin: pg.Client,
  catalogue: Catalogue,
  ofNone: Readonly<Record<string, Exemption>>,
): Promise<string[]> {
  const exempt = Object.assign({}, ofNone, ...Object.values(catalogue).map((storage) => storage.exempt)) as Record<
    string,
    Exemption
  >;
  const final = Object.keys(exempt).filter((table) => ['log', 'evidence'].includes(exempt[table]!));
  const { rows } = await admin.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'forecourt'::regnamespace AND c.relname = ANY ($1)
       AND (has_table_privilege('forecourt_app', c.oid, 'DELETE') OR has_table_privilege('forecourt_app', c.oid, 'TRUNCATE'))`,
    [final],
  );
  return rows.map(({ name }) => `${name}: exempt as never deleted, but the application may`);
}

/** Every expression is run by the retention role, and is of its type. */
async function expressionProblems(admin: pg.Client, governed: Governed): Promise<string[]> {
  const clocks = Object.entries(governed.clocks).map(([basis, sql]) => [`clock ${basis}`, sql, INSTANT] as const);
  const expected = [
    ...Object.entries(TYPES).map(([name, type]) => [name, governed[name] as string, type] as const),
    ...clocks,
  ];
  const problems: string[] = [];
  for (const [name, sql, type] of expected) {
    await admin.query(
      'SAVEPOINT expression; SET LOCAL ROLE forecourt_retention; SET LOCAL search_path = forecourt, pg_temp',
    );
    try {
      const { fields } = await admin.query(`SELECT (${sql}) FROM ${governed.table_name} r LIMIT 1`);
      if (fields[0]?.dataTypeID !== type) problems.push(`${governed.table_name}: ${name} is of another type`);
    } catch (error) {
      problems.push(`${governed.table_name}: ${name} cannot be run (${(error as Error).message})`);
    }
    await admin.query('ROLLBACK TO expression');
  }
  return problems;
}
