import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { BuiltSnapshot } from '../app/import-staging.js';
import type { PublicationStore, RunConclusion, ServedRooftop } from '../app/publication-store.js';
import type { RunLease } from '../app/run-lease.js';
import { LeaseLost } from '../app/run-lease.js';
import { INVENTORY_CHANNEL } from './inventory-channel.js';

export class PostgresPublicationStore implements PublicationStore {
  async lock(tx: TenantTransaction): Promise<void> {
    await prismaOf(tx).$executeRaw`
      INSERT INTO inventory_versions AS v (organization_id) VALUES (${tx.organizationId})
      ON CONFLICT (organization_id) DO UPDATE SET version = v.version`;
  }

  async served(tx: TenantTransaction, rooftopIds: readonly string[]): Promise<readonly ServedRooftop[]> {
    const rows = await prismaOf(tx).$queryRaw<(Omit<ServedRooftop, 'receivedAt'> & { receivedAt: Date })[]>`
      SELECT i.rooftop_id AS "rooftopId", i.snapshot_id AS "snapshotId", i.feed_id AS "feedId", f.enabled AS "feedEnabled", i.received_at AS "receivedAt", s.unit_count AS "unitCount"
      FROM rooftop_inventory i
      JOIN snapshots s ON s.organization_id = i.organization_id AND s.snapshot_id = i.snapshot_id
      JOIN feeds f ON f.organization_id = i.organization_id AND f.feed_id = i.feed_id
      WHERE i.rooftop_id = ANY(${[...rooftopIds]})`;
    return rows.map((row) => ({ ...row, receivedAt: row.receivedAt.getTime() }));
  }

  async switchTo(
    tx: TenantTransaction,
    run: { readonly runId: string; readonly feedId: string; readonly receivedAt: number },
    snapshots: readonly BuiltSnapshot[],
  ): Promise<void> {
    const prisma = prismaOf(tx);
    const rooftopIds = snapshots.map((s) => s.rooftopId);
    const snapshotIds = snapshots.map((s) => s.snapshotId);
    const receivedAt = new Date(run.receivedAt);
    await prisma.$executeRaw`
      UPDATE snapshots SET state = 'superseded' WHERE state = 'published' AND rooftop_id = ANY(${rooftopIds})`;
    await prisma.$executeRaw`
      UPDATE snapshots SET state = 'published', published_at = now() WHERE snapshot_id = ANY(${snapshotIds})`;
    await prisma.$executeRaw`
      INSERT INTO rooftop_inventory (organization_id, rooftop_id, snapshot_id, feed_id, received_at)
      SELECT ${tx.organizationId}, s.rooftop, s.id, ${run.feedId}, ${receivedAt} FROM unnest(${rooftopIds}::text[], ${snapshotIds}::text[]) AS s(rooftop, id)
      ON CONFLICT (organization_id, rooftop_id) DO UPDATE
        SET snapshot_id = excluded.snapshot_id, feed_id = excluded.feed_id, received_at = excluded.received_at, switched_at = now()`;
    await this.retireHeld(tx, run, receivedAt);
  }

  async announce(tx: TenantTransaction): Promise<number> {
    const rows = await prismaOf(tx).$queryRaw<{ version: bigint }[]>`
      WITH announced AS (UPDATE inventory_versions SET version = version + 1 RETURNING version)
      SELECT version, pg_notify(${INVENTORY_CHANNEL}, ${tx.organizationId})::text FROM announced`;
    return Number(rows[0]?.version);
  }

  async conclude(tx: TenantTransaction, lease: RunLease, conclusion: RunConclusion): Promise<void> {
    const { state, holdReasons } = conclusion;
    const ended = await prismaOf(tx).$executeRaw`
      UPDATE feed_runs SET state = ${state}, finished_at = now(), lease_until = NULL, report = ${JSON.stringify(conclusion.report)}::jsonb,
        hold_reasons = ${[...holdReasons]}, column_maps = ${JSON.stringify(conclusion.columnMaps)}::jsonb
      WHERE run_id = ${lease.runId} AND attempt = ${lease.attempt} AND state = 'running'`;
    if (ended !== 1) throw new LeaseLost();
    if (state === 'published') return;
    const keep = state === 'held' && conclusion.releasable;
    if (!keep) {
      await prismaOf(tx)
        .$executeRaw`DELETE FROM units WHERE snapshot_id IN (SELECT snapshot_id FROM snapshots WHERE run_id = ${lease.runId} AND state = 'building')`;
    }
    await prismaOf(tx)
      .$executeRaw`UPDATE snapshots SET state = ${keep ? 'held' : 'discarded'} WHERE run_id = ${lease.runId} AND state = 'building'`;
  }

  async concludeRelease(tx: TenantTransaction, runId: string, releasedBy: string): Promise<boolean> {
    const released = JSON.stringify({ released: { by: releasedBy } });
    const ended = await prismaOf(tx).$executeRaw`
      UPDATE feed_runs SET state = 'published', finished_at = now(), report = report || ${released}::jsonb WHERE run_id = ${runId} AND state = 'held'`;
    return ended === 1;
  }

  async heldSnapshots(tx: TenantTransaction, runId: string): Promise<readonly BuiltSnapshot[]> {
    return prismaOf(tx).$queryRaw<BuiltSnapshot[]>`
      SELECT rooftop_id AS "rooftopId", snapshot_id AS "snapshotId" FROM snapshots WHERE run_id = ${runId} AND state = 'held' ORDER BY rooftop_id`;
  }

  /** What an older held run wanted to publish is past: it can no longer be released. */
  private async retireHeld(
    tx: TenantTransaction,
    run: { readonly runId: string; readonly feedId: string },
    receivedAt: Date,
  ): Promise<void> {
    await prismaOf(tx).$executeRaw`
      UPDATE snapshots s SET state = 'discarded' FROM feed_runs r
      WHERE s.state = 'held' AND r.organization_id = s.organization_id AND r.run_id = s.run_id AND r.feed_id = ${run.feedId} AND r.run_id <> ${run.runId} AND r.received_at <= ${receivedAt}`;
    await prismaOf(tx).$executeRaw`
      UPDATE feed_runs SET state = 'superseded' WHERE state = 'held' AND feed_id = ${run.feedId} AND run_id <> ${run.runId} AND received_at <= ${receivedAt}`;
  }
}
