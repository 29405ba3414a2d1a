import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { GrantPage, GrantStore, NewGrant } from '../app/grant-store.js';
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

  async find(
    tx: TenantTransaction,
    grantId: string,
    purpose: 'read' | 'change' = 'read',
  ): Promise<GrantRecord | undefined> {
    if (purpose === 'change') await prismaOf(tx).$queryRaw`SELECT FROM grants WHERE grant_id = ${grantId} FOR UPDATE`;
    const { organizationId } = tx;
    const row = await prismaOf(tx).grant.findFirst({
      where: { organizationId, grantId },
      orderBy: { version: 'desc' },
    });
    return row === null ? undefined : toGrant(row, await this.delegationOf(tx, row));
  }

  async list(tx: TenantTransaction, page?: GrantPage): Promise<readonly GrantRecord[]> {
    const { organizationId } = tx;
    const ids = await prismaOf(tx).$queryRaw<{ id: string }[]>`
      SELECT DISTINCT grant_id AS id FROM grants WHERE organization_id = ${organizationId} AND grant_id > ${page?.after ?? ''}
      ORDER BY grant_id LIMIT ${page?.limit ?? null}`;
    const rows = await prismaOf(tx).grant.findMany({
      where: { organizationId, grantId: { in: ids.map(({ id }) => id) } },
      orderBy: [{ grantId: 'asc' }, { version: 'desc' }],
      distinct: ['grantId'],
    });
    const named = rows.flatMap(({ delegationId }) => (delegationId === null ? [] : [delegationId]));
    const behind = await prismaOf(tx).groupDelegation.findMany({
      where: { organizationId, delegationId: { in: named } },
    });
    const delegations = new Map(behind.map((row) => [row.delegationId, toDelegation(row)]));
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
    const { delegationId, issuer, grantee, rooftops, scopes, expiresAt, inForceAt } = delegation;
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
        inForceAt: inForceAt === null ? null : new Date(inForceAt),
      },
    });
  }

  async findDelegation(
    tx: TenantTransaction,
    delegationId: string,
    purpose: 'read' | 'change' = 'read',
  ): Promise<GroupDelegation | undefined> {
    if (purpose === 'change')
      await prismaOf(tx).$queryRaw`SELECT FROM group_delegations WHERE delegation_id = ${delegationId} FOR UPDATE`;
    const { organizationId } = tx;
    const row = await prismaOf(tx).groupDelegation.findFirst({ where: { organizationId, delegationId } });
    return row === null ? undefined : toDelegation(row);
  }

  async putDelegationInForce(tx: TenantTransaction, delegationId: string, at: number): Promise<number> {
    const { count } = await prismaOf(tx).groupDelegation.updateMany({
      where: { organizationId: tx.organizationId, delegationId, inForceAt: null },
      data: { inForceAt: new Date(at) },
    });
    return count;
  }

  async listDelegations(tx: TenantTransaction, { after, limit }: GrantPage): Promise<readonly GroupDelegation[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).groupDelegation.findMany({
      where: { organizationId, ...(after === undefined ? {} : { delegationId: { gt: after } }) },
      orderBy: { delegationId: 'asc' },
      take: limit,
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
    ...(row.toolNames === null ? {} : { toolNames: row.toolNames as 'dotted' | 'underscore' }), // the column's CHECK says so
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
    inForceAt: row.inForceAt?.getTime() ?? null,
  };
}
