import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptStatements } from '../app/check-statements.js';
import type { KeptStatement } from '../domain/compare-statements.js';

/** A folder with one signed note in each file. Files that begin with a dot are not finished. */
export class StatementFolder implements KeptStatements {
  /** @param dir undefined where none is configured */
  constructor(private readonly dir: string | undefined) {}

  async read(): Promise<readonly KeptStatement[]> {
    const { dir } = this;
    if (dir === undefined) return [];
    const entries = await readdir(dir, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
    return Promise.all(names.toSorted().map(async (name) => ({ name, note: await readFile(join(dir, name), 'utf8') })));
  }
}
