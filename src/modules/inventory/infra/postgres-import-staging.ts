import type pg from 'pg';
import { newSnapshotId } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { FeedRun } from '../app/feed-run.js';
import type {
  BuiltSnapshot,
  Conflicts,
  ImportStaging,
  PlannedSnapshot,
  StagedBatch,
  UnitCounts,
} from '../app/import-staging.js';
import type { RunLease } from '../app/run-lease.js';
import { LeaseLost } from '../app/run-lease.js';
import { RUN_COLUMNS, type RunSqlRow, toFeedRun } from './feed-run-row.js';
import { insertRunRows, insertUnits } from './staging-statements.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';

const LEASE = `now() + interval '${LIMITS.runLeaseSeconds.value} seconds'`;

/** Builds snapshots with plain SQL. Each write proves the lease in its own transaction, by updating the run's row first. */
export class PostgresImportStaging implements ImportStaging {
  constructor(private readonly pool: pg.Pool) {}

  async claim(organizationId: string, runId: string): Promise<FeedRun | undefined> {
    return withTenantSql(this.pool, organizationId, 'read write', async (client) => {
      const taken = await client.query(
        `UPDATE feed_runs SET state = 'running', attempt = attempt + 1, lease_until = ${LEASE}, started_at = coalesce(started_at, now())
         WHERE run_id = $1 AND (state = 'queued' OR (state = 'running' AND lease_until < now()))`,
        [runId],
      );
      if (taken.rowCount !== 1) return undefined;
      const { rows } = await client.query<RunSqlRow>(`SELECT ${RUN_COLUMNS} WHERE r.run_id = $1`, [runId]);
      return rows[0] && toFeedRun(rows[0]);
    });
  }

  async renew(lease: RunLease): Promise<void> {
    await this.fenced(lease, () => Promise.resolve());
  }

  async giveBack(lease: RunLease): Promise<void> {
    await withTenantSql(this.pool, lease.organizationId, 'read write', (client) =>
      client.query(
        `UPDATE feed_runs SET lease_until = now() - interval '1 second' WHERE run_id = $1 AND attempt = $2 AND state = 'running'`,
        [lease.runId, lease.attempt],
      ),
    );
  }

  async begin(lease: RunLease, feedId: string, planned: readonly PlannedSnapshot[]): Promise<readonly BuiltSnapshot[]> {
    const snapshots = planned.map(({ rooftopId }) => ({ rooftopId, snapshotId: newSnapshotId() }));
    await this.fenced(lease, async (client) => {
      if (lease.attempt > 1) await removeLeftovers(client, lease.runId);
      await client.query(
        `INSERT INTO snapshots (organization_id, snapshot_id, rooftop_id, feed_id, run_id, attempt, state, policy_digest)
         SELECT $1, s.id, s.rooftop, $2, $3, $4, 'building', s.digest FROM unnest($5::text[], $6::text[], $7::text[]) AS s(id, rooftop, digest)`,
        [
          lease.organizationId,
          feedId,
          lease.runId,
          lease.attempt,
          snapshots.map((s) => s.snapshotId),
          snapshots.map((s) => s.rooftopId),
          planned.map((s) => s.policyDigest),
        ],
      );
    });
    return snapshots;
  }

  async stage(lease: RunLease, batch: StagedBatch): Promise<void> {
    await this.fenced(
      lease,
      async (client) => {
        if (batch.units.length > 0) await insertUnits(client, lease, batch);
        if (batch.rows.length > 0) await insertRunRows(client, lease, batch);
      },
      batch.progress,
    );
  }

  async settleConflicts(
    lease: RunLease,
    snapshots: readonly BuiltSnapshot[],
    { units, records }: Conflicts,
  ): Promise<number> {
    const targets = new Map(snapshots.map((s) => [s.rooftopId, s.snapshotId]));
    const known = units.filter((u) => targets.has(u.rooftopId));
    const keys = [
      known.map((u) => targets.get(u.rooftopId)),
      known.map((u) => u.vehicleId),
      known.map((u) => u.rooftopId),
    ];
    return this.fenced(lease, async (client) => {
      await client.query(WITHDRAW_NOTES, [lease.runId, lease.attempt, records]);
      await client.query(RETRACT, keys.slice(0, 2));
      const carried = await client.query(CARRY_OVER, keys);
      await client.query(NOTE_SOURCES, keys.slice(0, 2));
      await client.query(FORGET_POLICY, [snapshots.map((s) => s.snapshotId)]);
      return carried.rowCount ?? 0;
    });
  }

  async countUnits(lease: RunLease, snapshots: readonly BuiltSnapshot[]): Promise<UnitCounts> {
    return this.fenced(lease, async (client) => {
      const offered = await client.query<CountRow>(
        `UPDATE snapshots s SET unit_count = (SELECT count(*) FROM units u WHERE u.organization_id = s.organization_id AND u.snapshot_id = s.snapshot_id AND u.withheld IS NULL)
         WHERE s.snapshot_id = ANY($1) RETURNING s.rooftop_id, s.unit_count`,
        [snapshots.map((s) => s.snapshotId)],
      );
      const served = await client.query<CountRow>(
        `SELECT i.rooftop_id, s.unit_count FROM rooftop_inventory i
         JOIN snapshots s ON s.organization_id = i.organization_id AND s.snapshot_id = i.snapshot_id WHERE i.rooftop_id = ANY($1)`,
        [snapshots.map((s) => s.rooftopId)],
      );
      return { offered: byRooftop(offered.rows), served: byRooftop(served.rows) };
    });
  }

  private fenced<T>(lease: RunLease, work: (client: pg.PoolClient) => Promise<T>, progress?: object): Promise<T> {
    return withTenantSql(this.pool, lease.organizationId, 'read write', async (client) => {
      const held = await client.query({
        name: progress === undefined ? 'renew-run-lease' : 'renew-run-lease-staging',
        text: progress === undefined ? RENEW : RENEW_STAGING,
        values: [lease.runId, lease.attempt, ...(progress === undefined ? [] : [JSON.stringify(progress)])],
      });
      if (held.rowCount !== 1) throw new LeaseLost();
      return work(client);
    });
  }
}

interface CountRow {
  readonly rooftop_id: string;
  readonly unit_count: number;
}

const byRooftop = (rows: readonly CountRow[]): Record<string, number> =>
  Object.fromEntries(rows.map((row) => [row.rooftop_id, row.unit_count]));

const HELD = `run_id = $1 AND attempt = $2 AND state = 'running'`;
const RENEW = `UPDATE feed_runs SET lease_until = ${LEASE} WHERE ${HELD}`;
/**
 * With progress, as each batch of rows renews it. Its commit is not waited for: the one that publishes is, and what was
 * written before it becomes durable with it.
 */
const RENEW_STAGING = `UPDATE feed_runs SET lease_until = ${LEASE}, progress = $3::jsonb WHERE ${HELD} AND set_config('synchronous_commit', 'off', true) = 'off'`;

async function removeLeftovers(client: pg.PoolClient, runId: string): Promise<void> {
  await client.query(
    `DELETE FROM units WHERE snapshot_id IN (SELECT snapshot_id FROM snapshots WHERE run_id = $1 AND state = 'building')`,
    [runId],
  );
  await client.query(`DELETE FROM snapshots WHERE run_id = $1 AND state = 'building'`, [runId]);
  await client.query('DELETE FROM feed_run_rows WHERE run_id = $1', [runId]);
}

/** A carried-over unit keeps everything, its source file and line included: it is still that file's word. */
const UNIT_COLUMNS = `vehicle_id, rooftop_id, vin, stock_number, year, make, model, trim, condition, vehicle_type, body_style, price_minor, currency,
  odometer_value, odometer_unit, availability, observed_at, withheld, dap_head, record, source_line, source_record, column_map, sha256, run_id`;
const WITHDRAW_NOTES = `DELETE FROM feed_run_rows WHERE run_id = $1 AND attempt = $2 AND record = ANY($3) AND disposition IN ('withheld', 'collapsed')`;
const RETRACT = `DELETE FROM units u USING unnest($1::text[], $2::text[]) AS k(snapshot, vehicle) WHERE u.snapshot_id = k.snapshot AND u.vehicle_id = k.vehicle`;
const CARRY_OVER = `INSERT INTO units (organization_id, snapshot_id, ${UNIT_COLUMNS})
  SELECT u.organization_id, k.snapshot, ${UNIT_COLUMNS.split(',')
    .map((column) => `u.${column.trim()}`)
    .join(', ')}
  FROM unnest($1::text[], $2::text[], $3::text[]) AS k(snapshot, vehicle, rooftop)
  JOIN rooftop_inventory i ON i.rooftop_id = k.rooftop
  JOIN units u ON u.organization_id = i.organization_id AND u.snapshot_id = i.snapshot_id AND u.vehicle_id = k.vehicle`;
/** The runs whose word they are must stay as long as this snapshot does (retention, migration 22). */
const NOTE_SOURCES = `UPDATE snapshots s SET source_run_ids = c.runs
  FROM (SELECT u.organization_id, u.snapshot_id, array_agg(DISTINCT u.run_id ORDER BY u.run_id) AS runs
        FROM unnest($1::text[], $2::text[]) AS k(snapshot, vehicle) JOIN units u ON u.snapshot_id = k.snapshot AND u.vehicle_id = k.vehicle
        GROUP BY 1, 2) AS c
  WHERE s.organization_id = c.organization_id AND s.snapshot_id = c.snapshot_id`;
/** Units of the served snapshot were serialised under its policy, not under that of the one they are carried into. */
const FORGET_POLICY = `UPDATE snapshots s SET policy_digest = NULL FROM rooftop_inventory i
  JOIN snapshots served ON served.organization_id = i.organization_id AND served.snapshot_id = i.snapshot_id
  WHERE s.snapshot_id = ANY($1) AND i.rooftop_id = s.rooftop_id AND served.policy_digest IS DISTINCT FROM s.policy_digest`;
