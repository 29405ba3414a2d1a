import { join } from 'node:path';
import type { CreateKey } from '../modules/auth/index.js';
import type { KeyAuthenticator } from '../kernel/ports/key-authenticator.js';
import { newRequestId, PLATFORM_TENANT, traceIdOfRequest } from '../kernel/ids.js';
import { holdsAcceptedKey, writeKeyFile } from './key-file.js';

interface KeyParts {
  readonly createKey: CreateKey;
  readonly keys: KeyAuthenticator;
}

/**
 * The file with the local administrator's key. A missing key, or one that this database does not know, is made anew; the
 * secret is in the file alone and never printed.
 */
export function findAdminKey(parts: KeyParts, dataDir: string, organizationId: string): Promise<string> {
  return findKey(parts, join(dataDir, 'admin.key'), organizationId, 'local administrator');
}

/** The file with the key of the local operator, who creates organizations. Otherwise as {@link findAdminKey}. */
export function findOperatorKey(parts: KeyParts, dataDir: string): Promise<string> {
  return findKey(parts, join(dataDir, 'operator.key'), PLATFORM_TENANT, 'local operator');
}

async function findKey(parts: KeyParts, file: string, organizationId: string, name: string): Promise<string> {
  if (await holdsAcceptedKey(file, (header) => parts.keys.authenticate(header, 'local'))) return file;
  const requestId = newRequestId();
  const created = await parts.createKey.run(
    { organizationId, name, role: 'admin', expiresAt: null },
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
