import type pg from 'pg';
import type { ConsistentReads } from '../../../kernel/ports/consistent-reads.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { SnapshotSource } from '../app/snapshot-ports.js';
import type { SnapshotSection } from '../app/snapshot-section.js';
import type { VersionStamp } from '../domain/access-snapshot.js';

interface Row {
  readonly organization_id: string;
  readonly version: string | bigint;
  readonly changed_at: Date;
}

export class PostgresSnapshotSource implements SnapshotSource {
  constructor(
    private readonly pool: pg.Pool,
    private readonly reads: ConsistentReads,
  ) {}

  load(
    organizationId: string,
    sections: readonly SnapshotSection<unknown>[],
  ): Promise<{ stamp: VersionStamp; content: Record<string, unknown> } | undefined> {
    return this.reads.readTenant(organizationId, async (tx) => {
      const rows = await prismaOf(tx).$queryRaw<Row[]>`
        SELECT organization_id, version, changed_at FROM access_versions WHERE organization_id = ${organizationId}`;
      const row = rows[0];
      if (row === undefined) return undefined;
      const content: Record<string, unknown> = {};
      for (const section of sections) content[section.name] = await section.load(tx);
      return { stamp: stampOf(row), content };
    });
  }

  async stampsOf(organizationIds: readonly string[]): Promise<ReadonlyMap<string, VersionStamp>> {
    if (organizationIds.length === 0) return new Map();
    try {
      const { rows } = await this.pool.query<Row>({
        name: 'access_versions_of',
        text: 'SELECT organization_id, version, changed_at FROM access_versions_of($1)',
        values: [organizationIds],
      });
      return new Map(rows.map((row) => [row.organization_id, stampOf(row)]));
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}

const stampOf = ({ version, changed_at }: Row): VersionStamp => ({
  version: Number(version),
  changedAt: changed_at.getTime(),
});
