import { join } from 'node:path';
import type { CreateKey } from '../modules/auth/index.js';
import type { KeyAuthenticator } from '../kernel/ports/key-authenticator.js';
import { newRequestId, traceIdOfRequest } from '../kernel/ids.js';
import { holdsAcceptedKey, writeKeyFile } from './key-file.js';

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
  if (await holdsAcceptedKey(file, (header) => parts.keys.authenticate(header, 'local'))) return file;
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
  await writeKeyFile(file, created.token);
  return file;
}
