import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './repository-files.js';

interface Requirement {
  readonly id: string;
  readonly says: string;
  readonly tests?: readonly { readonly file: string; readonly name: string }[];
  readonly scope?: string;
  readonly why?: string;
}

const requirements = JSON.parse(
  readFileSync(join(ROOT, 'test/conformance/requirements.json'), 'utf8'),
) as readonly Requirement[];

/** How many requirements each chapter of DAP 0.1 tags. */
const TAGGED = { CORE: 44, SEC: 16, PR: 3, DISC: 6, ERR: 2, HO: 5, CSV: 5, UV: 29 } as const;
const SCOPES = ['client-side', 'publisher-side', 'profile not offered', 'open'];

describe('The table of DAP requirements', () => {
  it('has every tagged requirement, once, in order', () => {
    const ids = Object.entries(TAGGED).flatMap(([chapter, count]) =>
      Array.from({ length: count }, (_, i) => `DAP-${chapter}-${String(i + 1).padStart(3, '0')}`),
    );
    expect(requirements.map(({ id }) => id)).toEqual(ids);
  });

  it('names a test for each, or says in a sentence why there is none', () => {
    const bare = requirements.filter(({ tests, scope, why }) =>
      scope === undefined ? (tests ?? []).length === 0 : !SCOPES.includes(scope) || !/^[A-Z].+\.$/.test(why ?? ''),
    );
    expect(bare.map(({ id }) => id)).toEqual([]);
  });

  it('names only tests that exist', () => {
    const missing = requirements.flatMap(({ id, tests = [] }) =>
      tests
        .filter(
          ({ file, name }) => !existsSync(join(ROOT, file)) || !readFileSync(join(ROOT, file), 'utf8').includes(name),
        )
        .map(({ file, name }) => `${id}: ${file}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});
