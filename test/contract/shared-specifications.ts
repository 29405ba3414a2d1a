import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/**
 * The specifications that the product implements, where the machine has them beside the repository. Nothing else needs
 * them: tests that compare with them are skipped, and say so, where they are absent.
 */
const ROOT = fileURLToPath(new URL('../../../shared/specs/', import.meta.url));

export const HAS_SPECIFICATIONS = existsSync(ROOT);

export function readSpecification(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The rows of every Markdown table in a text, as cells without code marks and emphasis. */
export function tableRows(markdown: string, startOfFirstCell: RegExp): readonly (readonly string[])[] {
  return [...markdown.matchAll(/\|((?:[^|\n]|\\\|)+\|){2,}/g)]
    .map(([row]) =>
      row
        .replaceAll('\\|', '/')
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.replaceAll(/[`*\\]/g, '').trim()),
    )
    .filter(([first = '']) => startOfFirstCell.test(first));
}

/** Compiles a schema of the specifications together with the files it refers to. */
export function specificationValidator(path: string, ...referred: readonly string[]): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  for (const file of referred) ajv.addSchema(JSON.parse(readSpecification(file)) as object);
  return ajv.compile(JSON.parse(readSpecification(path)) as object);
}
