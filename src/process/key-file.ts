import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether a file holds a key that is still accepted. @param authenticate rejects for a header that is not */
export async function holdsAcceptedKey(
  file: string,
  authenticate: (header: string) => Promise<unknown>,
): Promise<boolean> {
  const key = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (key === '') return false;
  return authenticate(`Bearer ${key}`).then(
    () => true,
    () => false,
  );
}

/** The secret is in the file alone and never printed; only the user of the service may read it. */
export async function writeKeyFile(file: string, token: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${token}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}
