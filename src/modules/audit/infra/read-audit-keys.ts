import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Settings } from '../../../platform/config/settings.js';
import { AuditKeys } from '../app/audit-keys.js';
import { readSigningKey } from './signing-key.js';

/**
 * The public keys of this installation. A process that may not read the signing key gets its public half from
 * AUDIT_PUBLIC_KEY_FILE, or does not know it.
 * @throws Error naming a file of public keys that is missing or holds no Ed25519 key.
 */
export async function readAuditKeys(settings: Settings): Promise<AuditKeys> {
  const { AUDIT_PUBLIC_KEY_FILE: file, AUDIT_PREVIOUS_KEY_FILES: files } = settings;
  const current = file === undefined ? await halfOfSigningKey(settings) : await readPublicKey(file);
  return new AuditKeys(current, await Promise.all(files.map(readPublicKey)));
}

async function halfOfSigningKey(settings: Settings): Promise<KeyObject | undefined> {
  try {
    return (await readSigningKey(settings))?.publicKey;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}

async function readPublicKey(file: string): Promise<KeyObject> {
  const key = createPublicKey(await readFile(file, 'utf8'));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} must hold an Ed25519 key`);
  return key;
}
