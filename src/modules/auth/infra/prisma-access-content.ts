import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { GrantStore } from '../app/grant-store.js';
import type { AccessContent } from '../app/known-access.js';
import { type KeyRow, toStoredKey } from './postgres-key-directory.js';

// What ended longer ago is found by asking the database, for the true reason in the audit trail.
const ENDED_LATELY_MS = 86_400_000;

/** Keys and grants of the tenant, for the access snapshot. */
export async function loadAccessContent(
  tx: TenantTransaction,
  grants: Pick<GrantStore, 'list'>,
): Promise<AccessContent> {
  const rows = await prismaOf(tx).$queryRaw<KeyRow[]>`SELECT * FROM api_keys_of_tenant()`;
  const oldest = Date.now() - ENDED_LATELY_MS;
  const all = await grants.list(tx);
  return {
    keys: rows.map(toStoredKey),
    grants: all.filter(({ expiresAt, revokedAt }) => Math.min(expiresAt, revokedAt ?? expiresAt) > oldest),
  };
}
