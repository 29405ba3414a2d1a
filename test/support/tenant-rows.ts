import { hash, randomUUID } from 'node:crypto';
import type pg from 'pg';

/** What the row builder cannot tell from the catalogue: columns whose CHECK is more than a list of words. */
const VALUES: Readonly<Record<string, unknown>> = {
  sha256: 'a'.repeat(64),
  vin: '1HGCM82633A004352',
  currency: 'USD',
  departments: ['sales'],
  categories: ['feed_file'],
  rooftop_ids: ['roof.isolation'],
  id_seed: Buffer.alloc(16, 7),
  secret_hash: Buffer.alloc(32, 7),
  dap_head: '{}',
  leaf_hash: Buffer.alloc(32, 7),
  line_hash: Buffer.alloc(32, 7),
  id_hash: Buffer.alloc(32, 7),
  root: Buffer.alloc(32, 7),
  hashes: Buffer.alloc(8192, 7),
  hash_key: Buffer.alloc(32, 7),
  digest: Buffer.alloc(32, 7),
  content: 'content',
  content_sha256: hash('sha256', 'content'),
  key_hash: Buffer.alloc(32, 7),
  fingerprint: Buffer.alloc(32, 7),
  code_hash: Buffer.alloc(32, 7),
  content_hash: 'a'.repeat(64),
  subject_hash: 'a'.repeat(64),
  algorithms: ['RS256'],
  min_index: 256,
  path: Buffer.alloc(256, 7),
  policy: 'policy.a@1',
  size: 256,
  listed: ['feed_file\nfile.a'],
};
const BY_TYPE: Readonly<Record<string, unknown>> = {
  integer: 1,
  bigint: 1,
  smallint: 1,
  boolean: true,
  jsonb: '{}',
  bytea: Buffer.from('bytes'),
  'text[]': [],
  'timestamp with time zone': '2026-11-30T06:00:00Z',
  date: '2026-11-30',
  uuid: randomUUID(),
  numeric: 1,
  xid8: '1',
};

/** What the catalogue says of a column. */
export interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly type: string;
  readonly required: boolean;
  readonly defaulted: boolean;
  readonly words: string[] | null;
}

/** Columns of ordinary and partitioned tables (partitions share their parent's), with the words that a CHECK allows. */
export async function readColumns(admin: pg.Client): Promise<Column[]> {
  const { rows } = await admin.query<Column>(`
    SELECT c.relname AS table_name, a.attname AS column_name,
           regexp_replace(format_type(a.atttypid, null), '\\(\\d+\\)', '') AS type,
           a.attnotnull AND NOT a.atthasdef AS required, a.atthasdef AS defaulted,
           (SELECT array_agg(word[1]) FROM pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''([^'']*)''::text', 'g') AS word
            WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]
              AND pg_get_constraintdef(k.oid) LIKE '%= ANY%') AS words
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'forecourt'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY 1, a.attnum`);
  return rows;
}

/** A row of a tenant. A column has the same value in every table, so that foreign keys hold. */
function rowOf(columns: readonly Column[], table: string, tenant: string): Map<string, unknown> {
  const needed = columns.filter(
    (c) => c.table_name === table && (c.required || (!c.defaulted && c.column_name in VALUES)),
  );
  return new Map(needed.map((c) => [c.column_name, valueOf(c, tenant)]));
}

function valueOf(column: Column, tenant: string): unknown {
  if (column.column_name === 'organization_id') return tenant;
  if (column.column_name in VALUES && column.required) return VALUES[column.column_name];
  if (column.words !== null) return column.words[0];
  if (column.column_name === 'dap_head') return VALUES.dap_head;
  if (!column.required) return null;
  return column.type === 'text' ? `${tenant}.${column.column_name}`.slice(0, 60) : BY_TYPE[column.type];
}

/** One row of a tenant, with all that the table asks for. */
export function insertStatement(columns: readonly Column[], table: string, tenant: string): pg.QueryConfig {
  const row = rowOf(columns, table, tenant);
  const places = [...row.keys()].map((_, i) => `$${i + 1}`);
  return {
    text: `INSERT INTO forecourt.${table} (${[...row.keys()].join(', ')}) VALUES (${places.join(', ')})`,
    values: [...row.values()],
  };
}
