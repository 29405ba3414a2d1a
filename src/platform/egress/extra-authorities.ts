import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/**
 * Certificate authorities for calls that leave: those that come with Node and the ones of a PEM file, for systems inside a
 * dealer group. Read once, at the start.
 * @returns undefined without a file: Node's own.
 * @throws Error when the file cannot be read.
 */
export function extraAuthorities(file: string | undefined): readonly string[] | undefined {
  return file === undefined ? undefined : [...rootCertificates, readFileSync(file, 'utf8')];
}
