import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, pathsBelow, ROOT } from './repository-files.js';

const records = pathsBelow('docs/adr').filter((path) => path.endsWith('.md') && !path.endsWith('README.md'));
const numbers = records.map((path) => path.slice('docs/adr/'.length, 'docs/adr/'.length + 4));
const code = [
  ...filesBelow('src', /\.ts$/),
  ...filesBelow('test', /\.ts$/),
  ...filesBelow('prisma', /\.(?:sql|prisma)$/),
  ...filesBelow('tools', /\.(?:mjs|sh)$/),
];
const pages = [
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('helm', /\.md$/),
  ...filesBelow('.', /^\.\/[A-Z]+\.md$/).map((f) => ({ ...f, path: f.path.slice(2) })),
];

/** Records shorten paths below src and, in those about feeds, below the inventory module. */
const PREFIXES = ['.', 'src', 'src/modules/inventory'] as const;

describe('Decision records', () => {
  it('are numbered without gaps and named by what was decided', () => {
    expect(numbers).toEqual(numbers.map((_, i) => String(i + 1).padStart(4, '0')));
    expect(records.filter((path) => !/\/\d{4}-[a-z0-9-]+\.md$/.test(path))).toEqual([]);
  });

  it('state context, decision, consequences and how the decision is enforced, on one screen', () => {
    const incomplete = filesBelow('docs/adr', /\/\d{4}-[^/]+\.md$/).filter(({ text }) => {
      const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      return (
        sections.join() !== ['Context', 'Decision', 'Consequences', 'Enforced by'].join() ||
        text.split('\n').length > 60
      );
    });
    expect(incomplete.map(({ path }) => path)).toEqual([]);
  });

  it('are all in the index', () => {
    const index = filesBelow('docs/adr', /\/README\.md$/)[0]?.text ?? '';
    expect(records.filter((path) => !index.includes(`](${path.slice('docs/adr/'.length)})`))).toEqual([]);
  });

  it('name only files and folders that exist', () => {
    const missing = filesBelow('docs/adr', /\/\d{4}-[^/]+\.md$/).flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /`((?:src|test|tools|docs|prisma|kernel|platform|modules|operations|surfaces|domain|app|infra)(?:\/[\w.-]+)+)`/g,
        ),
      ].flatMap(([, named = '']) =>
        PREFIXES.some((prefix) => existsSync(join(ROOT, prefix, named))) ? [] : [`${path}: ${named}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('exist wherever the code refers to one', () => {
    const missing = code.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:decision record |docs\/adr\/)(\d{4})(-[a-z0-9-]+\.md)?/g)].flatMap(
        ([reference, number = '', name]) => {
          const known = name === undefined ? numbers.includes(number) : records.includes(`docs/adr/${number}${name}`);
          return known ? [] : [`${path}: ${reference}`];
        },
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe('The documentation', () => {
  it('links only to files that exist', () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].flatMap(([, target = '']) =>
        existsSync(join(ROOT, normalize(join(dirname(path), target)))) ? [] : [`${path}: ${target}`],
      ),
    );
    expect(broken).toEqual([]);
  });

  it('exists wherever the code points to it', () => {
    const missing = code.flatMap(({ path, text }) =>
      [...text.matchAll(/\bdocs\/(?!concepts)[a-z/-]+\.(?:md|json)/g)].flatMap(([target]) =>
        existsSync(join(ROOT, target)) ? [] : [`${path}: ${target}`],
      ),
    );
    expect(missing).toEqual([]);
  });
});
