import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** Columns of every table of the database, whatever their schema and type, and whether a row of them holds one of the words. */
export async function columnsWith(admin: pg.Client, words: readonly string[]): Promise<string[]> {
  const { rows: columns } = await admin.query<{ place: string; name: string; type: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS place, a.attname AS name, format_type(a.atttypid, null) AS type
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')`,
  );
  const looks = columns.map(({ place, name, type }) => {
    const column = `"${name}"`;
    const at = type === 'bytea' ? `position(convert_to(word, 'UTF8') IN ${column})` : `strpos(${column}::text, word)`;
    const rows = `SELECT FROM ${place}, unnest($1::text[]) AS word WHERE ${column} IS NOT NULL AND ${at} > 0`;
    return `SELECT '${place}.${name}' AS column WHERE EXISTS (${rows})`;
  });
  const { rows } = await admin.query<{ column: string }>(looks.join(' UNION ALL '), [words]);
  return rows.map(({ column }) => column).toSorted();
}

/** Files below a folder that hold one of the words. */
export async function filesWith(folder: string, words: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    if (words.some((word) => bytes.includes(word))) found.push(path);
  }
  return found;
}
