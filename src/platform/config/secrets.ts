import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from './settings.js';

/** What a derived key is for. One key never serves two purposes. */
export type SecretPurpose =
  | 'access-snapshot'
  | 'audit-stream'
  | 'limit-name'
  | 'admin-cursor'
  | 'cursor'
  | 'privacy-subject'
  | 'api-key'
  | 'audit-webhook'
  | 'hold-webhook'
  | 'authorization-cookie'
  | 'authorization-record'
  | 'staff-code';

/** The master secret and, after a rotation, the one before it: still accepted, never used to sign. */
export interface Secrets {
  readonly current: string;
  readonly previous: string | null;
}

const KEY_BYTES = 32;

/** Derives the 32-byte key of a purpose from a master secret (HKDF-SHA256, RFC 5869). */
export function deriveKey(secret: string, purpose: SecretPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'forecourt', purpose, KEY_BYTES));
}

/**
 * The secrets of this installation. The local profile generates one on its first start and keeps it under the data folder.
 * @throws Error outside the local profile without FORECOURT_SECRET.
 */
export async function readSecrets(settings: Settings): Promise<Secrets> {
  const previous = settings.FORECOURT_SECRET_PREVIOUS ?? null;
  if (settings.FORECOURT_SECRET !== undefined) return { current: settings.FORECOURT_SECRET, previous };
  if (settings.FORECOURT_PROFILE !== 'local') throw new Error('FORECOURT_SECRET is required outside the local profile');
  const file = join(settings.DATA_DIR, 'secrets', 'forecourt-secret');
  return { current: await readOrGenerate(file, () => `${randomBytes(48).toString('base64url')}\n`), previous };
}

/** The content of a secret file, trimmed; what `generate` gives becomes its content where there is none. */
export async function readOrGenerate(file: string, generate: () => string): Promise<string> {
  const existing = await readSecret(file);
  if (existing !== undefined) return existing;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, generate(), { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file); // whole or not at all, and the first of two processes wins
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const secret = await readSecret(file);
  if (secret === undefined) throw new Error(`${file} is empty; remove it to generate a new secret`);
  return secret;
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim();
    return text === '' ? undefined : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
