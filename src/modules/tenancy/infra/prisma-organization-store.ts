import { Failure } from '../../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { OrganizationStore, StateChange } from '../app/organization-store.js';
import type {
  Organization,
  OrganizationEntry,
  OrganizationProfile,
  OrganizationState,
} from '../domain/organization.js';
import { DEALER_CHANNEL } from './dealer-channel.js';

interface EntryRow {
  readonly organization_id: string;
  readonly name: string;
  readonly state: OrganizationState;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export class PrismaOrganizationStore implements OrganizationStore {
  async insert(tx: TenantTransaction, profile: OrganizationProfile, change: StateChange): Promise<void> {
    const { organizationId } = tx;
    const prisma = prismaOf(tx);
    // An id that was ever used is there, also one that is not served any more.
    const { count } = await prisma.organization.createMany({
      data: { organizationId, ...profile },
      skipDuplicates: true,
    });
    if (count === 0 || organizationId === PLATFORM_TENANT)
      throw new Failure('input.invalid', {
        violations: [{ pointer: '/organization_id', keyword: 'not', explanation: 'is taken' }],
      });
    await prisma.inventoryVersion.create({ data: { organizationId } });
    await this.keepState(tx, 1, change);
    await announce(tx);
  }

  async find(tx: TenantTransaction, purpose: 'read' | 'change'): Promise<Organization | undefined> {
    const { organizationId } = tx;
    if (purpose === 'change')
      await prismaOf(tx).$queryRaw`SELECT FROM organizations WHERE organization_id = ${organizationId} FOR UPDATE`;
    const row = await prismaOf(tx).organization.findUnique({ where: { organizationId } });
    if (row === null) return undefined;
    const { name, legalName, website, timezone, currency, country, version } = row;
    return {
      ...{ organizationId, name, legalName, website, timezone, currency, country, version },
      state: row.state as OrganizationState,
      createdAt: row.createdAt.getTime(),
      updatedAt: row.updatedAt.getTime(),
    };
  }

  async change(tx: TenantTransaction, version: number, profile: OrganizationProfile): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).organization.update({ where: { organizationId }, data: { ...profile, version } });
    await announce(tx);
  }

  async setState(tx: TenantTransaction, version: number, change: StateChange): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).organization.update({ where: { organizationId }, data: { state: change.state, version } });
    const { _max } = await prismaOf(tx).organizationState.aggregate({
      where: { organizationId },
      _max: { ordinal: true },
    });
    await this.keepState(tx, (_max.ordinal ?? 0) + 1, change);
    await announce(tx);
  }

  async states(tx: TenantTransaction): Promise<readonly StateChange[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).organizationState.findMany({
      where: { organizationId },
      orderBy: { ordinal: 'asc' },
    });
    return rows.map((row) => ({
      state: row.state as OrganizationState,
      author: row.author,
      at: row.createdAt.getTime(),
    }));
  }

  async departures(tx: TenantTransaction): Promise<ReadonlyMap<string, number>> {
    const rows = await prismaOf(tx).rooftop.findMany({
      where: { organizationId: tx.organizationId, movedAt: { not: null } },
      select: { rooftopId: true, movedAt: true },
    });
    return new Map(rows.map(({ rooftopId, movedAt }) => [rooftopId, movedAt?.getTime() ?? 0]));
  }

  async list(
    tx: TenantTransaction,
    { after = '', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly OrganizationEntry[]> {
    const rows = await prismaOf(tx).$queryRaw<EntryRow[]>`SELECT * FROM list_organizations(${after}, ${limit}::int)`;
    return rows.map((row) => ({
      organizationId: row.organization_id,
      name: row.name,
      state: row.state,
      version: row.version,
      createdAt: row.created_at.getTime(),
      updatedAt: row.updated_at.getTime(),
    }));
  }

  private async keepState(tx: TenantTransaction, ordinal: number, change: StateChange): Promise<void> {
    const { state, author, at } = change;
    await prismaOf(tx).organizationState.create({
      data: { organizationId: tx.organizationId, ordinal, state, author, createdAt: new Date(at) },
    });
  }
}

/** Moves `updated_at` by a millisecond at least: processes tell versions of a group apart by it. */
async function announce(tx: TenantTransaction): Promise<void> {
  await prismaOf(tx).$executeRaw`
    UPDATE organizations SET updated_at = greatest(now(), updated_at + interval '1 millisecond') WHERE organization_id = ${tx.organizationId}`;
  await prismaOf(tx).$queryRaw`SELECT pg_notify(${DEALER_CHANNEL}, ${tx.organizationId})::text`;
}
