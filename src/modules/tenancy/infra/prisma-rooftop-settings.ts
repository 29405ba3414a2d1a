import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type {
  RooftopEntry,
  RooftopSettingsStore,
  SettingsVersion,
  SettingsVersionEntry,
} from '../app/rooftop-settings-store.js';
import { DEFAULT_ROOFTOP_SETTINGS, type RooftopSettings } from '../domain/rooftop-settings.js';
import { DEALER_CHANNEL } from './dealer-channel.js';

type RooftopRow = Omit<RooftopEntry, 'updatedAt'> & { readonly updatedAt: Date };

const ENTRY = { rooftopId: true, name: true, timezone: true, currency: true, settingsVersion: true, updatedAt: true };

export class PrismaRooftopSettings implements RooftopSettingsStore {
  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly RooftopEntry[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).rooftop.findMany({
      where: { organizationId, movedAt: null, ...(after === undefined ? {} : { rooftopId: { gt: after } }) },
      select: ENTRY,
      orderBy: { rooftopId: 'asc' },
      take: limit,
    });
    return rows.map(toEntry);
  }

  async find(tx: TenantTransaction, rooftopId: string, purpose: 'read' | 'change'): Promise<RooftopEntry | undefined> {
    if (purpose === 'change')
      await prismaOf(tx).$queryRaw`SELECT FROM rooftops WHERE rooftop_id = ${rooftopId} FOR UPDATE`;
    const served = purpose === 'change' ? { movedAt: null } : {};
    const row = await prismaOf(tx).rooftop.findFirst({
      where: { organizationId: tx.organizationId, rooftopId, ...served },
      select: ENTRY,
    });
    return row === null ? undefined : toEntry(row);
  }

  async version(tx: TenantTransaction, rooftopId: string, version: number): Promise<SettingsVersion | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).rooftopSettingsVersion.findUnique({
      where: { organizationId_rooftopId_version: { organizationId, rooftopId, version } },
    });
    if (row === null) return undefined;
    // Not held against today's schema: history shows what was in force, checked when it was written.
    const settings = { ...DEFAULT_ROOFTOP_SETTINGS, ...(row.settings as Partial<RooftopSettings>) };
    return { ...toVersionEntry(row), settings };
  }

  async versions(
    tx: TenantTransaction,
    rooftopId: string,
    { before, limit }: { readonly before?: number; readonly limit: number },
  ): Promise<readonly SettingsVersionEntry[]> {
    const rows = await prismaOf(tx).rooftopSettingsVersion.findMany({
      where: {
        organizationId: tx.organizationId,
        rooftopId,
        ...(before === undefined ? {} : { version: { lt: before } }),
      },
      orderBy: { version: 'desc' },
      take: limit,
      omit: { settings: true },
    });
    return rows.map(toVersionEntry);
  }

  async add(tx: TenantTransaction, next: SettingsVersion): Promise<void> {
    const { organizationId } = tx;
    const { rooftopId, version, author, reason, createdAt } = next;
    const settings = structuredClone(next.settings) as object;
    await prismaOf(tx).rooftopSettingsVersion.create({
      data: { organizationId, rooftopId, version, settings, author, reason, createdAt: new Date(createdAt) },
    });
    // Every change moves updated_at by a millisecond at least: processes tell versions of a group apart by it.
    await prismaOf(tx).$executeRaw`
      UPDATE rooftops SET settings = ${JSON.stringify(settings)}::jsonb, settings_version = ${version},
        updated_at = greatest(now(), updated_at + interval '1 millisecond') WHERE rooftop_id = ${rooftopId}`;
    await prismaOf(tx).$queryRaw`SELECT pg_notify(${DEALER_CHANNEL}, ${organizationId})::text`;
  }
}

function toEntry(row: RooftopRow): RooftopEntry {
  return { ...row, updatedAt: row.updatedAt.getTime() };
}

function toVersionEntry(row: {
  readonly rooftopId: string;
  readonly version: number;
  readonly author: string;
  readonly reason: string;
  readonly createdAt: Date;
}): SettingsVersionEntry {
  const { rooftopId, version, author, reason, createdAt } = row;
  return { rooftopId, version, author, reason, createdAt: createdAt.getTime() };
}
