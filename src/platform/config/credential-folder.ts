import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMintedId } from '../../kernel/ids.js';

const SECRET = /^[\x21-\x7e]{1,4096}$/;

/**
 * Secrets of the deployment, one file each, as secret stores mount them. Read for every question, so that a rotated one is
 * used at once. Settings name them and never hold them.
 */
export class CredentialFolder {
  constructor(private readonly folder: string) {}

  /** @returns undefined for a file that is missing, empty, or no printable line. */
  async read(name: string): Promise<string | undefined> {
    if (!isMintedId(name)) return undefined;
    const text = await readFile(join(this.folder, name), 'utf8').catch(() => '');
    const secret = text.trim();
    return SECRET.test(secret) ? secret : undefined;
  }
}
