import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { KeyStore, StoredKey } from '../app/key-store.js';

export class PrismaKeyStore implements KeyStore {
  async insert(tx: TenantTransaction, key: Omit<StoredKey, 'revokedAt'>): Promise<void> {
    const { keyId, organizationId, name, role } = key;
    const expiresAt = key.expiresAt === null ? null : new Date(key.expiresAt);
    await prismaOf(tx).apiKey.create({
      data: { keyId, organizationId, name, role, secretHash: Uint8Array.from(key.secretHash), expiresAt },
    });
  }
}
