import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadSettings } from '../../../platform/config/load-settings.js';
import { readAuthorizationKeys } from './signing-keys.js';

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'forecourt-keys-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

const local = (env: Record<string, string> = {}) =>
  loadSettings({ FORECOURT_PROFILE: 'local', DATA_DIR: dir, DATABASE_URL: 'postgres://u@127.0.0.1/d', ...env });
const keyFile = async (name: string, namedCurve = 'P-256'): Promise<string> => {
  const pem = generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(join(dir, name), pem);
  return join(dir, name);
};

it('makes a key in the local profile that only its owner may read, and keeps it', async () => {
  const first = await readAuthorizationKeys(local());
  expect(await readAuthorizationKeys(local())).toEqual(first);
  expect((await stat(join(dir, 'secrets', 'authorization-signing-key.pem'))).mode & 0o777).toBe(0o600);
});

it('publishes the key before the last rotation and signs with the new one; no private member is published', async () => {
  const old = await readAuthorizationKeys(local({ AUTHORIZATION_SIGNING_KEY_FILE: await keyFile('old.pem') }));
  const rotated = await readAuthorizationKeys(
    local({
      AUTHORIZATION_SIGNING_KEY_FILE: await keyFile('new.pem'),
      AUTHORIZATION_SIGNING_KEY_PREVIOUS_FILE: join(dir, 'old.pem'),
    }),
  );
  expect(rotated.published.keys.map((k) => k.kid)).toEqual([rotated.signing.kid, old.signing.kid]);
  expect(rotated.published.keys.filter((k) => 'd' in k)).toEqual([]);
});

it('refuses a key of another kind', async () => {
  const file = await keyFile('other.pem', 'P-384');
  await expect(readAuthorizationKeys(local({ AUTHORIZATION_SIGNING_KEY_FILE: file }))).rejects.toThrow('P-256');
});
