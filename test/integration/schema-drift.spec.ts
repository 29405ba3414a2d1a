import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const SCHEMA_FILE = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url));

/** Tables that no Prisma model reads: written and read with plain SQL. */
const WITHOUT_MODEL = [
  '_prisma_migrations',
  'access_versions',
  'agent_client_versions',
  'audit_checkpoints',
  'audit_cosignatures',
  'audit_entries',
  'audit_events',
  'audit_export_parts',
  'audit_horizon',
  'audit_logs',
  'audit_prunings',
  'audit_redacted_records',
  'audit_redactions',
  'audit_spools',
  'audit_statements',
  'audit_tiles',
  'authorization_records',
  'deletion_records',
  'discrepancy_reviews',
  'dpop_proofs',
  'file_removals',
  'governed_tables',
  'hold_notice_deliveries',
  'hold_notice_targets',
  'hold_notices',
  'hold_vault',
  'legal_hold_pages',
  'legal_holds',
  'privacy_request_parts',
  'privacy_requests',
  'restore_journal_entries',
  'restore_journal_noted',
  'restore_journal_owed',
  'restore_journal_segments',
  'retention_batches',
  'retention_halts',
  'retention_policy_drafts',
  'retention_policy_versions',
  'retention_runs',
  'retention_standing_approvals',
  'revocations',
  'staff_person_versions',
  'subject_places',
];

const TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Json: 'jsonb',
  Bytes: 'bytea',
  'DateTime @db.Timestamptz(6)': 'timestamp(6) with time zone',
  'DateTime @db.Timestamptz(3)': 'timestamp(3) with time zone',
};

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});

afterAll(async () => {
  await admin.end();
  await database.drop();
});

/** One line for each column: `table.column type null|not null default|no default`. */
function modelledColumns(schema: string): string[] {
  return [...schema.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].flatMap(([, body = '']) => {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? 'a model without @@map';
    const fields = [...body.matchAll(/^ {2}(\w+) +(\w+)(\[\])?(\?)?(.*)$/gm)];
    return fields.map(([, name = '', type = '', list, optional, attributes = '']) => {
      const column = /@map\("(\w+)"\)/.exec(attributes)?.[1] ?? name;
      const native = /@db\.\w+(\(\d+\))?/.exec(attributes)?.[0];
      const sqlType =
        TYPES[native === undefined ? type : `${type} ${native}`] ?? `unknown type ${type} ${native ?? ''}`;
      return describeColumn(
        table,
        column,
        sqlType + (list ?? ''),
        optional !== undefined,
        attributes.includes('@default'),
      );
    });
  });
}

const describeColumn = (table: string, column: string, type: string, nullable: boolean, hasDefault: boolean): string =>
  `${table}.${column} ${type} ${nullable ? 'null' : 'not null'} ${hasDefault ? 'default' : 'no default'}`;

/** The order of a model's key is the order of the columns in `@@id` or the one `@id`. */
function modelledKeys(schema: string): string[] {
  return [...schema.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].map(([, body = '']) => {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? '';
    const fields = /@@id\(\[(.*)\]\)/.exec(body)?.[1]?.split(', ') ?? [/^ {2}(\w+) .*@id\b/m.exec(body)?.[1] ?? 'none'];
    const mapped = fields.map(
      (field) => new RegExp(`^ {2}${field} .*@map\\("(\\w+)"\\)`, 'm').exec(body)?.[1] ?? field,
    );
    return `${table}: ${mapped.join(', ')}`;
  });
}

it('reads with Prisma exactly the columns that the migrations create', async () => {
  const { rows } = await admin.query<{
    table: string;
    column: string;
    type: string;
    nullable: boolean;
    default: boolean;
  }>(
    `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable, a.atthasdef AS default
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'forecourt'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($1)`,
    [WITHOUT_MODEL],
  );
  const created = rows.map((r) => describeColumn(r.table, r.column, r.type, r.nullable, r.default));
  const modelled = modelledColumns(await readFile(SCHEMA_FILE, 'utf8'));
  expect(created.length).toBeGreaterThan(100);
  expect(modelled.toSorted()).toEqual(created.toSorted());
});

it('knows the primary keys that the migrations create', async () => {
  const { rows } = await admin.query<{ key: string }>(
    `SELECT c.relname || ': ' || string_agg(a.attname, ', ' ORDER BY k.place) AS key
     FROM pg_constraint p JOIN pg_class c ON c.oid = p.conrelid, unnest(p.conkey) WITH ORDINALITY AS k (attnum, place)
     JOIN pg_attribute a ON a.attnum = k.attnum
     WHERE a.attrelid = p.conrelid AND p.contype = 'p' AND c.relnamespace = 'forecourt'::regnamespace AND NOT c.relispartition AND c.relname <> ALL ($1)
     GROUP BY c.relname`,
    [WITHOUT_MODEL],
  );
  expect(modelledKeys(await readFile(SCHEMA_FILE, 'utf8')).toSorted()).toEqual(rows.map((r) => r.key).toSorted());
});

it('has every table of the migrations as a model, or on the list of those without', async () => {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'forecourt'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const models = modelledKeys(await readFile(SCHEMA_FILE, 'utf8')).map((key) => key.split(':')[0]);
  expect(rows.map((r) => r.name).toSorted()).toEqual([...models, ...WITHOUT_MODEL].toSorted());
});
