import type pg from 'pg';
import type { DealerDirectory, DealerGroup } from '../../tenancy/index.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { OrganizationInventory } from '../domain/read-model/organization-inventory.js';
import type { RooftopSegment } from '../domain/read-model/rooftop-segment.js';
import { loadSegment } from './rooftop-segment-loader.js';
import { readSources, readVersion } from './rooftop-source.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';

/** A read model with what each of its segments was built from. */
export interface LoadedOrganization {
  readonly inventory: OrganizationInventory;
  /** Version of the inventory and of the settings it was built from. */
  readonly mark: string;
  readonly segments: ReadonlyMap<string, { readonly key: string; readonly segment: RooftopSegment }>;
  readonly rebuiltRooftops: number;
}

/** Builds read models from the database, out of as much of the one before as still holds. */
export class OrganizationLoader {
  constructor(
    private readonly pool: pg.Pool,
    private readonly directory: DealerDirectory,
    private readonly cacheBytes: number,
  ) {}

  /** @throws Failure `resource.not_found` when there is no such organization. */
  async load(organizationId: string, previous: LoadedOrganization | undefined): Promise<LoadedOrganization> {
    const group = await this.directory.find(organizationId);
    if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    const { version, segments, rebuilt } = await withTenantSql(
      this.pool,
      organizationId,
      'consistent read',
      async (client) => {
        const version = await readVersion(client);
        const segments = new Map<string, { key: string; segment: RooftopSegment }>();
        let rebuilt = 0;
        for (const source of await readSources(client, group.rooftops)) {
          const { rooftopId } = source.rooftop;
          const known = previous?.segments.get(rooftopId);
          if (known?.key !== source.key) rebuilt++;
          segments.set(
            rooftopId,
            known?.key === source.key
              ? known
              : { key: source.key, segment: await loadSegment(client, organizationId, source) },
          );
        }
        return { version, segments, rebuilt };
      },
    );
    const inventory = await OrganizationInventory.assemble(
      organizationId,
      version,
      [...segments.values()].map((s) => s.segment),
      { cacheBytes: this.cacheBytes },
    );
    return { inventory, mark: markOf(version, group), segments, rebuiltRooftops: rebuilt };
  }

  /** What `mark` would be if the organization were loaded now. */
  async currentMark(organizationId: string): Promise<string | undefined> {
    const group = await this.directory.find(organizationId);
    if (group === undefined) return undefined;
    return markOf(await withTenantSql(this.pool, organizationId, 'read write', readVersion), group);
  }
}

function markOf(version: number, group: DealerGroup): string {
  const newest = Math.max(group.updatedAt, ...group.rooftops.map((rooftop) => rooftop.updatedAt));
  return `${version}/${group.rooftops.length}/${newest}/${group.policy.version}`;
}
