import { describe, expect, it } from 'vitest';
import { filesBelow, pathsBelow, withoutComments } from './repository-files.js';

const sources = filesBelow('src', /\.ts$/).map(({ path, text }) => ({ path, text, code: withoutComments(text) }));
const product = sources.filter(({ path }) => !path.endsWith('.spec.ts'));

/** Data and not logic: they grow with the world, not with what is to be understood. */
const TABLES: readonly string[] = [
  'src/modules/inventory/domain/feed/usual-spelling-table.ts',
  'src/demo/model-catalogue.ts',
];
const LINES_MAX = 400;

const where = (pattern: RegExp, except?: RegExp): readonly string[] =>
  product.filter(({ path, code }) => pattern.test(code) && except?.test(path) !== true).map(({ path }) => path);

describe('The source', () => {
  it('reads the environment in platform/config alone', () => {
    expect(where(/process\s*\.\s*env\b/, /^src\/platform\/config\//)).toEqual([]);
  });

  it('throws the framework’s HTTP exceptions nowhere outside platform/http', () => {
    expect(
      where(
        /\bHttpException\b|new \w+Exception\(|import \{[^}]*\b(?!Validation)\w+Exception\b[^}]*\} from '@nestjs/,
        /^src\/platform\/http\//,
      ),
    ).toEqual([]);
  });

  it('breaks no cycle with forwardRef', () => {
    expect(where(/\bforwardRef\b/)).toEqual([]);
  });

  it('names what it exports', () => {
    expect(where(/^export \*/m)).toEqual([]);
  });

  it('keeps files short: tables of data are the only long ones', () => {
    const long = product.filter(({ path, text }) => text.split('\n').length > LINES_MAX + 1 && !TABLES.includes(path));
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('has no folder for leftovers', () => {
    expect(
      pathsBelow('src').filter((path) => /\/(?:utils?|common|helpers?|shared|misc|lib)(?:\/|$)/.test(path)),
    ).toEqual([]);
  });

  it('names files in kebab-case', () => {
    const odd = pathsBelow('src').filter(
      (path) => !/^src(?:\/[a-z0-9-]+)*\/?(?:[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*\.ts)?$/.test(path),
    );
    expect(odd).toEqual([]);
  });

  it('gives every suppressed rule a reason', () => {
    const bare = sources.flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, i) =>
          /eslint-disable|@ts-(?:expect-error|ignore)/.test(line) && !/ -- \S|(?:expect-error|ignore):? \S/.test(line)
            ? [`${path}:${i + 1}`]
            : [],
        ),
    );
    expect(bare).toEqual([]);
  });

  it('writes to standard output only where a process starts or a command answers', () => {
    expect(where(/\bconsole\.\w+\(|process\.stdout\.write/, /^src\/(?:main\.ts|process\/|command\/)/)).toEqual([]);
  });

  it('never asks the system clock where a decision is made', () => {
    const domain = product.filter(({ path }) => /^src\/(?:modules\/[^/]+\/domain|operations)\//.test(path));
    expect(domain.filter(({ code }) => /\bDate\.now\(|new Date\(\)/.test(code)).map(({ path }) => path)).toEqual([]);
  });
});

describe('The migrations', () => {
  const folders = [...new Set(pathsBelow('prisma/migrations').map((path) => path.split('/')[2] ?? ''))];

  it('are named by a timestamp and what they do', () => {
    expect(folders.filter((name) => !/^\d{14}_[a-z0-9_]+$/.test(name))).toEqual([]);
  });

  it('have one SQL file each', () => {
    expect(pathsBelow('prisma/migrations').filter((path) => path.endsWith('.sql'))).toEqual(
      folders.map((name) => `prisma/migrations/${name}/migration.sql`),
    );
  });

  it('follow one another: no two share a timestamp', () => {
    const stamps = folders.map((name) => name.slice(0, 14));
    expect(new Set(stamps).size).toBe(stamps.length);
  });
});

describe('The tests', () => {
  const specs = [...filesBelow('src', /\.spec\.ts$/), ...filesBelow('test', /\.spec\.ts$/)];

  it('assert something in every file', () => {
    expect(
      specs
        .filter(({ text }) => !/\bexpect(?:\.\w+)?\(|\bfc\.assert\(|\bassert(?:\.\w+)?\(/.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it('leave none out and single none out', () => {
    expect(
      specs
        .filter(({ text }) => /\b(?:it|test|describe)\.(?:only|skip|todo)\(/.test(withoutComments(text)))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});
