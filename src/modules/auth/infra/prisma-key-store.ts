import type { KeyRole } from '../../../kernel/caller.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { KeyStore, StoredKey } from '../app/key-store.js';

export class PrismaKeyStore implements KeyStore {
  async insert(tx: TenantTransaction, key: Omit<StoredKey, 'revokedAt'>): Promise<void> {
    const { keyId, organizationId, name, role, grantId } = key;
    const expiresAt = key.expiresAt === null ? null : new Date(key.expiresAt);
    await prismaOf(tx).apiKey.create({
      data: { keyId, organizationId, name, role, grantId, secretHash: Uint8Array.from(key.secretHash), expiresAt },
    });
  }

  async revoke(tx: TenantTransaction, keyId: string, at: number): Promise<KeyRole | undefined> {
    const { organizationId } = tx;
    const { apiKey } = prismaOf(tx);
    await apiKey.updateMany({ where: { organizationId, keyId, revokedAt: null }, data: { revokedAt: new Date(at) } });
    const row = await apiKey.findFirst({ where: { organizationId, keyId } });
    return row === null ? undefined : (row.role as KeyRole);
  }
}
