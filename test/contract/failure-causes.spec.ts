import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FAILURE_CAUSES } from '../../src/kernel/failure/failure-causes.js';
import type { FailureCode } from '../../src/kernel/failure/registry.js';
import { FAILURE_CODES } from '../../src/kernel/failure/registry.js';
import { AAP_CODES, AAP_FAILURE_MAP } from '../../src/surfaces/a2a/failure-map.js';
import { DAP_CODES, DAP_FAILURE_MAP } from '../../src/surfaces/mcp/failure-map.js';
import { OPS_CODES, OPS_FAILURE_MAP } from '../../src/surfaces/ops/failure-map.js';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
/** Where codes are declared and translated, not produced. */
const TABLES =
  /^kernel\/failure\/(?:registry|failure-causes)\.ts$|^surfaces\/[a-z0-9]+\/failure-map\.ts$|\.spec\.ts$|generated\//;

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !TABLES.test(file))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }));

/** Codes that are constructed as a Failure, or decided as the `code` of a denial, with the files that do it. */
function constructed(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { file, text } of sources) {
    const heads = [...text.matchAll(/new Failure\w*\(([^,)]*)|\bcode: ('[^']+')/g)].map(
      ([, argument, code]) => argument ?? code ?? '',
    );
    for (const [, code = ''] of heads.join(' ').matchAll(/'([a-z]+\.[a-z_]+)'/g))
      found.set(code, [...(found.get(code) ?? []), file]);
  }
  return found;
}

const isRaised = (code: FailureCode): boolean => 'raised' in FAILURE_CAUSES[code];
const produced = constructed();

describe('The causes of failures', () => {
  it.each(FAILURE_CODES.filter(isRaised).map((code) => [code]))('names a cause of %s that the source has', (code) => {
    expect(produced.get(code) ?? []).not.toEqual([]);
  });

  it.each(FAILURE_CODES.filter((code) => !isRaised(code)).map((code) => [code]))(
    'says that %s waits, and the source does not mention it',
    (code) => {
      expect(sources.filter(({ text }) => text.includes(`'${code}'`)).map(({ file }) => file)).toEqual([]);
    },
  );

  it('knows every code that the source constructs', () => {
    expect([...produced.keys()].filter((code) => !(code in FAILURE_CAUSES))).toEqual([]);
  });

  it('says in words what causes each failure or what it waits for', () => {
    const texts = FAILURE_CODES.map((code) => Object.values(FAILURE_CAUSES[code])[0] ?? '');
    expect(texts.filter((text) => text.length < 5)).toEqual([]);
  });
});

describe.each([
  { surface: 'DAP', codes: DAP_CODES, map: DAP_FAILURE_MAP },
  { surface: 'AAP', codes: AAP_CODES, map: AAP_FAILURE_MAP },
  { surface: 'ops', codes: OPS_CODES, map: OPS_FAILURE_MAP },
])('Every wire code of $surface', ({ codes, map }) => {
  it.each(Object.keys(codes).map((code) => [code]))('%s has a cause today, or says what it waits for', (wireCode) => {
    const from = FAILURE_CODES.filter((code) => map[code] === wireCode);
    const raised = from.filter((code) => isRaised(code) && produced.has(code));
    const waiting = from.filter((code) => 'waiting' in FAILURE_CAUSES[code]);
    expect(from).not.toEqual([]);
    expect(raised.length + waiting.length).toBe(from.length);
  });
});
