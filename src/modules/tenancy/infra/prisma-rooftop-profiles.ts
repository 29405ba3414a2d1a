import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { RooftopProfile, RooftopProfileStore, RooftopRecord } from '../app/rooftop-profile-store.js';
import { DEALER_CHANNEL } from './dealer-channel.js';

export class PrismaRooftopProfiles implements RooftopProfileStore {
  async find(tx: TenantTransaction, rooftopId: string, purpose: 'read' | 'change'): Promise<RooftopRecord | undefined> {
    const { organizationId } = tx;
    if (purpose === 'change')
      await prismaOf(tx).$queryRaw`SELECT FROM rooftops WHERE rooftop_id = ${rooftopId} FOR UPDATE`;
    const row = await prismaOf(tx).rooftop.findFirst({ where: { organizationId, rooftopId, movedAt: null } });
    if (row === null) return undefined;
    const { name, legalName, website, timezone, currency, languages, version, settingsVersion } = row;
    return {
      ...{ rooftopId, name, legalName, website, timezone, currency, languages, version, settingsVersion },
      address: row.address as unknown as RooftopProfile['address'],
      departments: row.departments as RooftopProfile['departments'],
      contacts: row.contacts as unknown as RooftopProfile['contacts'],
      hours: row.hours as unknown as RooftopProfile['hours'],
      updatedAt: row.updatedAt.getTime(),
    };
  }

  async isTaken(tx: TenantTransaction, rooftopId: string): Promise<boolean> {
    const { organizationId } = tx;
    return (await prismaOf(tx).rooftop.count({ where: { organizationId, rooftopId } })) > 0;
  }

  async change(tx: TenantTransaction, rooftopId: string, version: number, profile: RooftopProfile): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).rooftop.update({
      where: { organizationId_rooftopId: { organizationId, rooftopId } },
      data: {
        ...profile,
        version,
        address: { ...profile.address, lines: [...profile.address.lines] },
        departments: [...profile.departments],
        contacts: profile.contacts.map((contact) => ({ ...contact })),
        hours: profile.hours.map((interval) => ({ ...interval })),
        languages: [...profile.languages],
      },
    });
    // Every change moves updated_at by a millisecond at least: processes tell versions of a group apart by it.
    await prismaOf(tx).$executeRaw`
      UPDATE rooftops SET updated_at = greatest(now(), updated_at + interval '1 millisecond') WHERE rooftop_id = ${rooftopId}`;
    await this.announce(tx);
  }

  async announce(tx: TenantTransaction): Promise<void> {
    await prismaOf(tx).$queryRaw`SELECT pg_notify(${DEALER_CHANNEL}, ${tx.organizationId})::text`;
  }
}
