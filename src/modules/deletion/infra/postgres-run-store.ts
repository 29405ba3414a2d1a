import type pg from 'pg';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { PreviewedRun, RetentionRun, RunLease, TakenPart } from '../app/retention-run.js';
import { RunNotInForce } from '../app/run-not-in-force.js';
import type { DraftedRun, RunPage, RunStore } from '../app/run-store.js';
import type { Halt } from '../domain/brake.js';
import { notInForce } from './not-in-force.js';
import { msOf, RUN_COLUMNS, RUN_TABLES, runOf, type RunRow } from './retention-run-rows.js';

const MINE = 'organization_id = current_tenant() AND run_id = $1';

/** Runs of retention in PostgreSQL (migrations 23, 29 and 46). */
export class PostgresRunStore implements RunStore {
  constructor(private readonly pool: pg.Pool) {}

  async add(tx: TenantTransaction, draft: DraftedRun): Promise<void> {
    const { runId, requester, reason, categories, beyondBrake, hashKey } = draft;
    await prismaOf(tx).$executeRawUnsafe(
      `INSERT INTO retention_runs (organization_id, run_id, requester_kind, requested_by, reason, categories, beyond_brake, hash_key)
       VALUES (current_tenant(), $1, $2, $3, $4, $5, $6, $7)`,
      ...[runId, requester.actorKind, requester.actor, reason, categories, beyondBrake, hashKey],
    );
  }

  find(tx: TenantTransaction, runId: string): Promise<RetentionRun | undefined> {
    return this.one(tx, runId, '');
  }

  lock(tx: TenantTransaction, runId: string): Promise<RetentionRun | undefined> {
    return this.one(tx, runId, 'FOR UPDATE OF r');
  }

  async list(tx: TenantTransaction, { after, limit }: RunPage): Promise<readonly RetentionRun[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<RunRow[]>(
      `SELECT ${RUN_COLUMNS} FROM ${RUN_TABLES} WHERE r.organization_id = current_tenant() AND ($1::text IS NULL OR r.run_id < $1)
       ORDER BY r.run_id DESC LIMIT $2`,
      ...[after ?? null, limit],
    );
    return rows.map(runOf);
  }

  taken(tx: TenantTransaction, runId: string): Promise<readonly TakenPart[]> {
    const sums = (column: string): string => `(SELECT coalesce(jsonb_object_agg(name, many), '{}')
      FROM (SELECT e.key AS name, sum(e.value::bigint) AS many FROM retention_batches i, jsonb_each_text(i.${column}) AS e
            WHERE i.organization_id = b.organization_id AND i.run_id = b.run_id AND i.part = b.part AND i.action = b.action GROUP BY 1) AS by_name) AS ${column}`;
    return prismaOf(tx).$queryRawUnsafe<TakenPart[]>(
      `SELECT b.category, b.action, b.part, sum(b.taken)::float8 AS taken, sum(b.held)::float8 AS held, sum(b.failed)::float8 AS failed, ${sums('rooftops')}, ${sums('holds')}
       FROM retention_batches b WHERE ${MINE.replaceAll('organization_id', 'b.organization_id')}
       GROUP BY b.organization_id, b.run_id, b.category, b.action, b.part ORDER BY min(b.number)`,
      runId,
    );
  }

  async earlier(tx: TenantTransaction, runId: string): Promise<ReadonlyMap<string, readonly number[]>> {
    const rows = await prismaOf(tx).$queryRawUnsafe<{ lane: string; counts: number[] }[]>(
      `SELECT lane, array_agg(over) AS counts FROM (
         SELECT (p ->> 'category') || coalesce('/' || nullif(p ->> 'action', 'delete'), '') AS lane, sum((p ->> 'over')::float8) AS over FROM retention_runs, jsonb_array_elements(preview -> 'parts') AS p
         WHERE organization_id = current_tenant() AND run_id <> $1 AND state = 'done' AND previewed_at > clock_timestamp() - interval '30 days' GROUP BY run_id, 1) AS previews
       GROUP BY 1`,
      runId,
    );
    return new Map(rows.map(({ lane, counts }) => [lane, counts]));
  }

  async order(tx: TenantTransaction): Promise<readonly RetentionCategory[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<{ category: RetentionCategory }[]>(
      'SELECT category FROM governed_tables GROUP BY 1 ORDER BY min(ordinal), max(ordinal), 1',
    );
    return rows.map(({ category }) => category);
  }

  async now(tx: TenantTransaction): Promise<number> {
    const [row] = await prismaOf(tx).$queryRawUnsafe<{ now: number }[]>(`SELECT ${msOf('clock_timestamp()')} AS now`);
    return row?.now ?? NaN;
  }

  async transactions(tx: TenantTransaction): Promise<number> {
    const [row] = await prismaOf(tx).$queryRawUnsafe<{ transactions: number }[]>(
      'SELECT (xact_commit + xact_rollback)::float8 AS transactions FROM pg_stat_database WHERE datname = current_database()',
    );
    return row?.transactions ?? NaN;
  }

  async shown(tx: TenantTransaction): Promise<void> {
    await prismaOf(tx).$queryRawUnsafe('SELECT pg_stat_force_next_flush()::text');
  }

  claim(organizationId: string, runId: string, forMs: number): Promise<RunLease | undefined> {
    return withTenantSql(this.pool, organizationId, 'read write', async (client) => {
      const { rows } = await client.query<{ lease: number }>(
        `UPDATE retention_runs SET lease = lease + 1, heartbeat_at = clock_timestamp(), lease_until = clock_timestamp() + $2 * interval '1 millisecond'
         WHERE ${MINE} AND state IN ('draft', 'approved', 'running') AND (lease_until IS NULL OR lease_until < clock_timestamp()) RETURNING lease`,
        [runId, forMs],
      );
      const lease = rows[0]?.lease;
      return lease === undefined ? undefined : { organizationId, runId, lease };
    });
  }

  async renew({ organizationId, runId, lease }: RunLease, forMs: number): Promise<void> {
    await withTenantSql(this.pool, organizationId, 'read write', (client) =>
      client.query(
        `UPDATE retention_runs SET lease_until = clock_timestamp() + $3 * interval '1 millisecond', heartbeat_at = clock_timestamp()
         WHERE ${MINE} AND lease = $2 AND lease_until IS NOT NULL`,
        [runId, lease, forMs],
      ),
    );
  }

  async release({ organizationId, runId, lease }: RunLease): Promise<void> {
    await withTenantSql(this.pool, organizationId, 'read write', (client) =>
      client.query(`UPDATE retention_runs SET lease_until = NULL WHERE ${MINE} AND lease = $2`, [runId, lease]),
    );
  }

  async open(most: number): Promise<readonly { readonly organizationId: string; readonly runId: string }[]> {
    const { rows } = await this.pool.query<{ organization_id: string; run_id: string }>(
      'SELECT organization_id, run_id FROM open_retention_runs($1)',
      [most],
    );
    return rows.map((row) => ({ organizationId: row.organization_id, runId: row.run_id }));
  }

  previewed(tx: TenantTransaction, lease: RunLease, found: PreviewedRun): Promise<void> {
    const { asOf, policy, cutoffs, preview, sketch, previewHash, expiresAt } = found;
    const time = (at: string): string => `'epoch'::timestamptz + ${at}::float8 * interval '1 millisecond'`;
    return this.change(
      tx,
      lease,
      `state = 'previewed', lease_until = NULL, previewed_at = clock_timestamp(), as_of = ${time('$3')}, preview_expires_at = ${time('$4')},
       policy_id = $5, policy_version = $6::integer, policy_hash = $7, cutoffs = $8::jsonb, preview = $9::jsonb, sketch = $10, preview_hash = $11`,
      `state = 'draft'`,
      [asOf, expiresAt, policy.policyId, policy.version, policy.contentHash].concat([
        JSON.stringify(cutoffs),
        JSON.stringify(preview),
        sketch,
        previewHash,
      ] as never[]),
    );
  }

  begin(tx: TenantTransaction, lease: RunLease): Promise<void> {
    return this.change(tx, lease, `state = 'running', started_at = clock_timestamp()`, `state = 'approved'`);
  }

  noteTree(tx: TenantTransaction, lease: RunLease, tree: Uint8Array): Promise<void> {
    return this.change(tx, lease, 'tree = $3', `state = 'running'`, [tree]);
  }

  async tree(tx: TenantTransaction, { runId }: RunLease): Promise<Uint8Array> {
    const [row] = await prismaOf(tx).$queryRawUnsafe<{ tree: Uint8Array }[]>(
      `SELECT tree FROM retention_runs WHERE ${MINE}`,
      runId,
    );
    return row?.tree ?? new Uint8Array();
  }

  finish(tx: TenantTransaction, lease: RunLease): Promise<void> {
    return this.change(
      tx,
      lease,
      `state = 'done', finished_at = clock_timestamp(), lease_until = NULL`,
      `state = 'running'`,
    );
  }

  async approve(tx: TenantTransaction, runId: string, approvalId: string, approvers: readonly string[]): Promise<void> {
    await this.update(
      tx,
      `UPDATE retention_runs SET state = 'approved', approval_id = $2, approvers = $3, approved_at = clock_timestamp() WHERE ${MINE} AND state = 'previewed'`,
      [runId, approvalId, approvers],
    );
  }

  async halt(tx: TenantTransaction, runId: string, { kind, part, measured, allowed }: Halt): Promise<void> {
    await prismaOf(tx).$executeRawUnsafe(
      `INSERT INTO retention_halts (organization_id, run_id, kind, part, measured, allowed)
       VALUES (current_tenant(), $1, $2, $3, $4::float8, $5::float8)`,
      ...[runId, kind, part, measured, allowed],
    );
    await this.update(
      tx,
      `UPDATE retention_runs SET state = 'halted', halted_for = $2, finished_at = clock_timestamp(), lease_until = NULL
       WHERE ${MINE} AND state IN ('draft', 'approved', 'running')`,
      [runId, kind],
    );
  }

  async cancel(tx: TenantTransaction, runId: string): Promise<void> {
    await this.update(
      tx,
      `UPDATE retention_runs SET state = 'cancelled', finished_at = clock_timestamp(), lease_until = NULL
       WHERE ${MINE} AND state IN ('draft', 'previewed', 'approved', 'running')`,
      [runId],
    );
  }

  private async one(tx: TenantTransaction, runId: string, lock: string): Promise<RetentionRun | undefined> {
    const rows = await prismaOf(tx).$queryRawUnsafe<RunRow[]>(
      `SELECT ${RUN_COLUMNS} FROM ${RUN_TABLES} WHERE r.organization_id = current_tenant() AND r.run_id = $1 ${lock}`,
      runId,
    );
    return rows[0] === undefined ? undefined : runOf(rows[0]);
  }

  /** @throws RunNotInForce where the lease is older, or the run in another state. */
  private change(
    tx: TenantTransaction,
    { runId, lease }: RunLease,
    set: string,
    state: string,
    values: readonly unknown[] = [],
  ): Promise<void> {
    return this.update(tx, `UPDATE retention_runs SET ${set} WHERE ${MINE} AND lease = $2::integer AND ${state}`, [
      runId,
      lease,
      ...values,
    ]);
  }

  private async update(tx: TenantTransaction, statement: string, values: readonly unknown[]): Promise<void> {
    const changed = await prismaOf(tx)
      .$executeRawUnsafe(statement, ...values)
      .catch((error: unknown) => {
        throw notInForce(error);
      });
    if (changed !== 1) throw new RunNotInForce('run');
  }
}
