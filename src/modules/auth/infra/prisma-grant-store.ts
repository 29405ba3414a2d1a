import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { GrantStore, NewGrant } from '../app/grant-store.js';
import type { GrantRecord, GroupDelegation } from '../domain/grant-record.js';

type Prisma = ReturnType<typeof prismaOf>;
type GrantRow = NonNullable<Awaited<ReturnType<Prisma['grant']['findFirst']>>>;
type DelegationRow = NonNullable<Awaited<ReturnType<Prisma['groupDelegation']['findFirst']>>>;

export class PrismaGrantStore implements GrantStore {
  async insert(tx: TenantTransaction, grant: NewGrant): Promise<void> {
    const { rooftopIds, profiles, scopes, purposes, expiresAt, ...rest } = grant;
    await prismaOf(tx).grant.create({
      data: {
        ...rest,
        rooftopIds: [...rooftopIds],
        profiles: [...profiles],
        scopes: [...scopes],
        purposes: [...purposes],
        expiresAt: new Date(expiresAt),
      },
    });
  }

  async find(tx: TenantTransaction, grantId: string): Promise<GrantRecord | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).grant.findFirst({
      where: { organizationId, grantId },
      orderBy: { version: 'desc' },
    });
    return row === null ? undefined : toGrant(row, await this.delegationOf(tx, row));
  }

  async list(tx: TenantTransaction): Promise<readonly GrantRecord[]> {
    const rows = await prismaOf(tx).grant.findMany({
      where: { organizationId: tx.organizationId },
      orderBy: [{ grantId: 'asc' }, { version: 'desc' }],
      distinct: ['grantId'],
    });
    const delegations = new Map((await this.listDelegations(tx)).map((d) => [d.delegationId, d]));
    return rows.map((row) => toGrant(row, delegations.get(row.delegationId ?? '') ?? null));
  }

  async revoke(tx: TenantTransaction, grantId: string, at: number): Promise<number> {
    const { count } = await prismaOf(tx).grant.updateMany({
      where: { organizationId: tx.organizationId, grantId, revokedAt: null },
      data: { revokedAt: new Date(at) },
    });
    return count;
  }

  async insertDelegation(tx: TenantTransaction, delegation: GroupDelegation): Promise<void> {
    const { delegationId, issuer, grantee, rooftops, scopes, expiresAt } = delegation;
    await prismaOf(tx).groupDelegation.create({
      data: {
        organizationId: tx.organizationId,
        delegationId,
        issuer,
        grantee,
        covers: rooftops === 'all' ? 'all' : 'listed',
        rooftopIds: rooftops === 'all' ? [] : [...rooftops],
        scopes: [...scopes],
        expiresAt: new Date(expiresAt),
      },
    });
  }

  async findDelegation(tx: TenantTransaction, delegationId: string): Promise<GroupDelegation | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).groupDelegation.findFirst({ where: { organizationId, delegationId } });
    return row === null ? undefined : toDelegation(row);
  }

  async listDelegations(tx: TenantTransaction): Promise<readonly GroupDelegation[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).groupDelegation.findMany({
      where: { organizationId },
      orderBy: { delegationId: 'asc' },
    });
    return rows.map(toDelegation);
  }

  async revokeDelegation(tx: TenantTransaction, delegationId: string, at: number): Promise<number> {
    const { count } = await prismaOf(tx).groupDelegation.updateMany({
      where: { organizationId: tx.organizationId, delegationId, revokedAt: null },
      data: { revokedAt: new Date(at) },
    });
    return count;
  }

  /** The foreign key says that it is there. */
  private async delegationOf(tx: TenantTransaction, { delegationId }: GrantRow): Promise<GroupDelegation | null> {
    return delegationId === null ? null : ((await this.findDelegation(tx, delegationId)) ?? null);
  }
}

function toGrant(row: GrantRow, delegation: GroupDelegation | null): GrantRecord {
  const { grantId, version, subject, organizationId, rooftopIds, profiles, scopes, purposes, issuer } = row;
  return {
    grantId,
    version,
    subject,
    organizationId,
    rooftopIds,
    delegation,
    profiles,
    scopes,
    purposes,
    issuer,
    expiresAt: row.expiresAt.getTime(),
    revokedAt: row.revokedAt?.getTime() ?? null,
  };
}

function toDelegation(row: DelegationRow): GroupDelegation {
  return {
    delegationId: row.delegationId,
    issuer: row.issuer,
    grantee: row.grantee,
    rooftops: row.covers === 'all' ? 'all' : row.rooftopIds,
    scopes: row.scopes,
    expiresAt: row.expiresAt.getTime(),
    revokedAt: row.revokedAt?.getTime() ?? null,
  };
}
