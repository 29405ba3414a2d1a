import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrGenerate } from '../../../platform/config/secrets.js';
import type { SigningKey } from '../app/signing-key.js';
import type { Settings } from '../../../platform/config/settings.js';

/**
 * The signing key of this installation. The local profile makes one on its first start.
 * @returns undefined outside the local profile without AUDIT_SIGNING_KEY_FILE: records are numbered and nothing is signed.
 * @throws Error when the file is missing or holds no Ed25519 private key.
 */
export async function readSigningKey(settings: Settings): Promise<SigningKey | undefined> {
  const pem = await readPem(settings);
  if (pem === undefined) return undefined;
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('the audit signing key must be an Ed25519 key');
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

function readPem(settings: Settings): Promise<string | undefined> {
  if (settings.AUDIT_SIGNING_KEY_FILE !== undefined) return readFile(settings.AUDIT_SIGNING_KEY_FILE, 'utf8');
  if (settings.FORECOURT_PROFILE !== 'local') return Promise.resolve(undefined);
  return readOrGenerate(join(settings.DATA_DIR, 'secrets', 'audit-signing-key.pem'), () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
}
