import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CreateKey } from '../modules/auth/index.js';
import type { KeyAuthenticator } from '../kernel/ports/key-authenticator.js';
import { newRequestId, traceIdOfRequest } from '../kernel/ids.js';

/**
 * The file with the local administrator's key. A missing key, or one that this database does not know, is made anew; the
 * secret is in the file alone and never printed.
 */
export async function findAdminKey(
  parts: { createKey: CreateKey; keys: KeyAuthenticator },
  dataDir: string,
  organizationId: string,
): Promise<string> {
  const file = join(dataDir, 'admin.key');
  const existing = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (existing !== '' && (await isAccepted(parts.keys, existing))) return file;
  const requestId = newRequestId();
  const created = await parts.createKey.run(
    { organizationId, name: 'local administrator', role: 'admin', expiresAt: null },
    {
      eventId: requestId,
      traceId: traceIdOfRequest(requestId),
      surface: 'command',
      actorKind: 'system',
      actor: 'local-start',
      client: null,
    },
  );
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${created.token}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return file;
}

const isAccepted = (keys: KeyAuthenticator, key: string): Promise<boolean> =>
  keys.authenticate(`Bearer ${key}`, 'local').then(
    () => true,
    () => false,
  );
