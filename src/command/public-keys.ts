import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CommandError, EXIT } from './exit-codes.js';

/** Public keys out of PEM files. @throws CommandError naming the file that holds no Ed25519 key. */
export function readPublicKeys(files: readonly string[]): Promise<readonly KeyObject[]> {
  return Promise.all(
    files.map(async (file) => {
      const pem = await readFile(file, 'utf8');
      try {
        const key = createPublicKey(pem);
        if (key.asymmetricKeyType === 'ed25519') return key;
      } catch {
        // told below, in the same words
      }
      throw new CommandError(`${file} holds no Ed25519 key in PEM`, EXIT.usage);
    }),
  );
}
