import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const MAGIC = Buffer.from('FCLKG1\n');
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Writes a file that only this installation can read or have written: AES-256-GCM under a key derived from its secret. Whole
 * or not at all, on the disk when it returns.
 */
export async function writeSealed(file: string, text: string, key: Uint8Array): Promise<void> {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(MAGIC);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.draft`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(Buffer.concat([MAGIC, iv, cipher.getAuthTag(), sealed]));
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(draft, file).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
}

/**
 * @param keys the current one first
 * @returns undefined when there is no such file.
 * @throws Error for a file that was damaged, or written under another secret.
 */
export async function readSealed(file: string, keys: readonly Uint8Array[]): Promise<string | undefined> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  for (const key of keys) {
    const text = unseal(bytes, key);
    if (text !== undefined) return text;
  }
  throw new Error(`${file} is damaged, or was written under another secret`);
}

function unseal(bytes: Buffer, key: Uint8Array): string | undefined {
  const start = MAGIC.length + IV_BYTES + TAG_BYTES;
  if (bytes.length < start || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(MAGIC.length, MAGIC.length + IV_BYTES))
    .setAAD(MAGIC)
    .setAuthTag(bytes.subarray(MAGIC.length + IV_BYTES, start));
  try {
    return decipher.update(bytes.subarray(start), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
