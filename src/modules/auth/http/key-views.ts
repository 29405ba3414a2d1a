import { rfc3339 } from '../../../kernel/time.js';
import type { KeyEntry } from '../app/key-store.js';

/** A key as the admin API shows it: everything but its secret. */
export function keyView(key: KeyEntry): object {
  return {
    key_id: key.keyId,
    name: key.name,
    role: key.role,
    ...(key.grantId === null ? {} : { grant_id: key.grantId }),
    scopes: key.scopes,
    networks: key.networks,
    version: key.version,
    replaces: key.replaces,
    created_at: rfc3339(key.createdAt),
    last_used_at: timeOf(key.lastUsedAt),
    expires_at: timeOf(key.expiresAt),
    works_until: timeOf(key.retiresAt),
    revoked_at: timeOf(key.revokedAt),
  };
}

const timeOf = (time: number | null): string | null => (time === null ? null : rfc3339(time));
