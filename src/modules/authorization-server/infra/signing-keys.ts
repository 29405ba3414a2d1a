import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, type JWK, type JSONWebKeySet } from 'jose';
import { readOrGenerate } from '../../../platform/config/secrets.js';
import type { Settings } from '../../../platform/config/settings.js';

export const SIGNING_ALGORITHM = 'ES256';

/** The keys of access tokens: one signs; the public halves of it and of the one before it are published. */
export interface AuthorizationKeys {
  readonly signing: JWK;
  readonly published: JSONWebKeySet;
}

/**
 * The signing key of this installation; the local profile makes one on its first start. Key ids are thumbprints (RFC 7638), so
 * that every process names a key alike.
 * @throws Error when a file is missing or holds no P-256 private key.
 */
export async function readAuthorizationKeys(settings: Settings): Promise<AuthorizationKeys> {
  const current = p256(await readCurrent(settings), 'AUTHORIZATION_SIGNING_KEY_FILE');
  const previousFile = settings.AUTHORIZATION_SIGNING_KEY_PREVIOUS_FILE;
  const previous =
    previousFile === undefined
      ? []
      : [p256(await readFile(previousFile, 'utf8'), 'AUTHORIZATION_SIGNING_KEY_PREVIOUS_FILE')];
  const published = await Promise.all([current, ...previous].map((key) => jwkOf(createPublicKey(key))));
  return { signing: await jwkOf(current), published: { keys: published } };
}

function readCurrent(settings: Settings): Promise<string> {
  const file = settings.AUTHORIZATION_SIGNING_KEY_FILE;
  if (file !== undefined) return readFile(file, 'utf8');
  if (settings.FORECOURT_PROFILE !== 'local')
    throw new Error('AUTHORIZATION_SIGNING_KEY_FILE is required outside the local profile');
  return readOrGenerate(join(settings.DATA_DIR, 'secrets', 'authorization-signing-key.pem'), () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
}

function p256(pem: string, setting: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error(`${setting} must hold a P-256 key`);
  return key;
}

async function jwkOf(key: KeyObject): Promise<JWK> {
  const jwk = await exportJWK(key);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: SIGNING_ALGORITHM, use: 'sig' };
}
