import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface RepositoryFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The files below a folder whose path matches; generated code and packages are left out. */
export function filesBelow(folder: string, matching: RegExp): readonly RepositoryFile[] {
  return pathsBelow(folder)
    .filter((path) => matching.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** All entries below a folder, folders included. */
export function pathsBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .filter((path) => !/(?:^|\/)(?:node_modules|generated)(?:\/|$)/.test(path))
    .toSorted();
}

/** Source text without comments, so that a rule does not trip over a sentence about itself. Strings are kept. */
export function withoutComments(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .replaceAll(/(^|[^:'"`\\])\/\/[^\n]*/g, '$1');
}
