import type { KeyRole } from '../../../kernel/caller.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { KeyChange, KeyEntry, KeyStore, KeyToStore } from '../app/key-store.js';

type Prisma = ReturnType<typeof prismaOf>;
type KeyRow = NonNullable<Awaited<ReturnType<Prisma['apiKey']['findFirst']>>>;

export class PrismaKeyStore implements KeyStore {
  async insert(tx: TenantTransaction, key: KeyToStore): Promise<void> {
    const { keyId, organizationId, name, role, grantId, replaces, author } = key;
    const [networks, createdAt] = [[...key.networks], new Date(key.createdAt)];
    await prismaOf(tx).apiKey.create({
      data: {
        ...{ keyId, organizationId, name, role, grantId, replaces, networks, createdAt },
        scopes: [...key.scopes],
        secretHash: Uint8Array.from(key.secretHash),
        expiresAt: key.expiresAt === null ? null : new Date(key.expiresAt),
      },
    });
    await prismaOf(tx).apiKeyVersion.create({
      data: { organizationId, keyId, version: 1, name, networks, author, createdAt },
    });
  }

  async find(tx: TenantTransaction, keyId: string, purpose: 'read' | 'change'): Promise<KeyEntry | undefined> {
    const { organizationId } = tx;
    if (purpose === 'change') await prismaOf(tx).$queryRaw`SELECT FROM api_keys WHERE key_id = ${keyId} FOR UPDATE`;
    const row = await prismaOf(tx).apiKey.findFirst({ where: { organizationId, keyId } });
    return row === null ? undefined : toEntry(row);
  }

  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly KeyEntry[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).apiKey.findMany({
      where: { organizationId, ...(after === undefined ? {} : { keyId: { gt: after } }) },
      orderBy: { keyId: 'asc' },
      take: limit,
    });
    return rows.map(toEntry);
  }

  async change(tx: TenantTransaction, key: KeyEntry, change: KeyChange, author: string, at: number): Promise<void> {
    const { organizationId } = tx;
    const [version, networks] = [key.version + 1, [...change.networks]];
    await prismaOf(tx).apiKey.updateMany({
      where: { organizationId, keyId: key.keyId },
      data: { name: change.name, networks, version },
    });
    await prismaOf(tx).apiKeyVersion.create({
      data: { organizationId, keyId: key.keyId, version, name: change.name, networks, author, createdAt: new Date(at) },
    });
  }

  async retire(tx: TenantTransaction, keyId: string, at: number): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).apiKey.updateMany({
      where: { organizationId, keyId },
      data: { retiresAt: new Date(at) },
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

function toEntry(row: KeyRow): KeyEntry {
  const { keyId, name, grantId, scopes, networks, version, replaces } = row;
  return {
    ...{ keyId, name, grantId, scopes, networks, version, replaces },
    role: row.role as KeyRole,
    createdAt: row.createdAt.getTime(),
    expiresAt: row.expiresAt?.getTime() ?? null,
    revokedAt: row.revokedAt?.getTime() ?? null,
    retiresAt: row.retiresAt?.getTime() ?? null,
    lastUsedAt: row.lastUsedAt?.getTime() ?? null,
  };
}
