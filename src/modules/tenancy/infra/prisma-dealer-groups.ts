import type pg from 'pg';
import { isMintedId, PLATFORM_TENANT } from '../../../kernel/ids.js';
import type { Clock } from '../../../kernel/time.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { DealerGroupStore, NewDealerGroup, NewRooftop } from '../app/create-dealer-group.js';
import type { DealerChanges, DealerDirectory } from '../app/dealer-directory.js';
import type { DealerGroup, Rooftop } from '../domain/dealer-group.js';
import type { DealerPolicy } from '../domain/policy-in-force.js';
import { servedSettings } from '../domain/policy-in-force.js';
import { readRooftopSettings } from '../domain/rooftop-settings.js';
import type { PoliciesInForce } from './policies-in-force.js';
import { PrismaOrganizationStore } from './prisma-organization-store.js';

const CACHE_MS = 2000;
const MAX_CACHED = 10_000;

/** The last known good of groups, where the process keeps one (decision record 0037). */
export interface GroupSnapshots {
  of(organizationId: string): Promise<DealerGroup | undefined>;
  outdate(organizationId: string): void;
}

interface Cached {
  readonly readAt: number;
  readonly group: DealerGroup | undefined;
}

/**
 * Reads groups through row-level security and keeps each for two seconds. While the database is away the last good answer
 * goes on serving (decision record 0008); an absence is never served from an error.
 */
export class PrismaDealerDirectory implements DealerDirectory, DealerChanges {
  private readonly cache = new Map<string, Cached>();
  private readonly reading = new Map<string, Promise<DealerGroup | undefined>>();
  private readonly listeners: ((organizationId: string) => void)[] = [];
  private soleOrganization: { readonly readAt: number; readonly id: string | undefined } | undefined;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pool: pg.Pool,
    private readonly clock: Clock,
    private readonly configuredDefault: string | undefined,
    private readonly policies: PoliciesInForce,
    private readonly snapshots?: GroupSnapshots,
  ) {}

  async find(organizationId: string): Promise<DealerGroup | undefined> {
    if (organizationId === PLATFORM_TENANT) return undefined; // never served
    if (!isMintedId(organizationId)) return undefined; // it may come from a path, and is worth neither a query nor a cache entry
    const cached = this.cache.get(organizationId);
    const isRecent = cached !== undefined && this.clock.now() - cached.readAt < CACHE_MS;
    // A snapshot is as quick as what is cached here and more recent; there is none of what does not exist.
    if (isRecent && (this.snapshots === undefined || cached.group === undefined)) return cached.group;
    try {
      return await this.readOnce(organizationId);
    } catch (error) {
      if (cached?.group !== undefined) return cached.group;
      throw error;
    }
  }

  async defaultOrganizationId(): Promise<string | undefined> {
    if (this.configuredDefault !== undefined) return this.configuredDefault;
    const known = this.soleOrganization;
    if (known !== undefined && this.clock.now() - known.readAt < CACHE_MS) return known.id;
    try {
      const { rows } = await this.pool.query<{ id: string | null }>({
        name: 'sole-organization',
        text: 'SELECT sole_organization() AS id',
      });
      this.soleOrganization = { readAt: this.clock.now(), id: rows[0]?.id ?? undefined };
    } catch (error) {
      if (known?.id === undefined) throw databaseFailure(error);
      return known.id;
    }
    return this.soleOrganization.id;
  }

  /** What is known stays, as old, for the case that the database goes away before it is read again. */
  forget(organizationId: string): void {
    const cached = this.cache.get(organizationId);
    if (cached?.group === undefined) this.cache.delete(organizationId);
    else this.cache.set(organizationId, { ...cached, readAt: -Infinity });
    this.reading.delete(organizationId); // it may have begun before the change: its caller gets it, the cache does not
    if (this.soleOrganization !== undefined) this.soleOrganization = { ...this.soleOrganization, readAt: -Infinity };
    this.snapshots?.outdate(organizationId);
    for (const listener of this.listeners) listener(organizationId);
  }

  /** Announcements may have been missed: nothing that is known counts as read just now. */
  forgetAll(): void {
    for (const organizationId of [...this.cache.keys()]) this.forget(organizationId);
  }

  onChange(listener: (organizationId: string) => void): void {
    this.listeners.push(listener);
  }

  /** Concurrent callers share one read. */
  private readOnce(organizationId: string): Promise<DealerGroup | undefined> {
    const running = this.reading.get(organizationId);
    if (running !== undefined) return running;
    const reading = this.read(organizationId)
      .then((group) => {
        if (this.reading.get(organizationId) === reading) this.keep(organizationId, group);
        return group;
      })
      .finally(() => {
        if (this.reading.get(organizationId) === reading) this.reading.delete(organizationId);
      });
    this.reading.set(organizationId, reading);
    return reading;
  }

  private keep(organizationId: string, group: DealerGroup | undefined): void {
    if (this.cache.size >= MAX_CACHED) this.cache.clear();
    this.cache.set(organizationId, { readAt: this.clock.now(), group });
  }

  private read(organizationId: string): Promise<DealerGroup | undefined> {
    if (this.snapshots !== undefined) return this.snapshots.of(organizationId);
    return this.unitOfWork.withTenant(organizationId, (tx) => this.load(tx));
  }

  /** The group as the transaction sees it: this module's part of the access snapshot. */
  async load(tx: TenantTransaction): Promise<DealerGroup | undefined> {
    const { organizationId } = tx;
    const prisma = prismaOf(tx);
    const row = await prisma.organization.findUnique({ where: { organizationId } });
    if (row?.state !== 'active') return undefined; // as if it did not exist
    const rooftops = await prisma.rooftop.findMany({
      where: { organizationId, movedAt: null },
      orderBy: { rooftopId: 'asc' },
    });
    const policy = await this.policies.load(tx);
    return {
      organizationId,
      name: row.name,
      legalName: row.legalName,
      website: row.website,
      updatedAt: row.updatedAt.getTime(),
      rooftops: rooftops.map((rooftop) => toRooftop(rooftop, policy)),
      policy,
    };
  }
}

type RooftopRow = Awaited<ReturnType<ReturnType<typeof prismaOf>['rooftop']['findMany']>>[number];

function toRooftop(row: RooftopRow, policy: DealerPolicy): Rooftop {
  return {
    rooftopId: row.rooftopId,
    name: row.name,
    legalName: row.legalName,
    website: row.website,
    address: row.address as unknown as Rooftop['address'],
    timezone: row.timezone,
    currency: row.currency,
    departments: row.departments as Rooftop['departments'],
    contacts: row.contacts as unknown as Rooftop['contacts'],
    hours: row.hours as unknown as Rooftop['hours'],
    languages: row.languages,
    settings: servedSettings(readRooftopSettings(row.settings), policy, row.rooftopId),
    idSeed: row.idSeed,
    updatedAt: row.updatedAt.getTime(),
  };
}

export class PrismaDealerGroupStore implements DealerGroupStore {
  private readonly organizations = new PrismaOrganizationStore();

  async insertOrganization(tx: TenantTransaction, group: NewDealerGroup): Promise<void> {
    const { name, legalName, website } = group;
    const profile = { name, legalName, website, timezone: null, currency: null, country: null };
    await this.organizations.insert(tx, profile, { state: 'active', author: 'forecourt', at: Date.now() });
  }

  async insertRooftop(tx: TenantTransaction, rooftop: NewRooftop, idSeed: Uint8Array): Promise<void> {
    const settings = structuredClone(readRooftopSettings(rooftop.settings)) as object;
    await prismaOf(tx).rooftop.create({
      data: {
        organizationId: tx.organizationId,
        ...rooftop,
        departments: [...rooftop.departments],
        languages: [...rooftop.languages],
        address: { ...rooftop.address, lines: [...rooftop.address.lines] },
        contacts: rooftop.contacts.map((c) => ({ ...c })),
        hours: rooftop.hours.map((h) => ({ ...h })),
        settings,
        idSeed: Uint8Array.from(idSeed),
      },
    });
    await prismaOf(tx).rooftopSettingsVersion.create({
      data: {
        organizationId: tx.organizationId,
        rooftopId: rooftop.rooftopId,
        version: 1,
        settings,
        author: 'forecourt',
        reason: 'Created with the rooftop',
        createdAt: new Date(),
      },
    });
  }
}
