import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { FeedRun, NumberedRunRow, RowDisposition } from '../app/feed-run.js';
import type { FeedRunStore, NewFeedRun, OpenFeedRuns, RunRowPage } from '../app/feed-run-store.js';
import { RUN_COLUMNS, type RunSqlRow, toFeedRun } from './feed-run-row.js';

export class PrismaFeedRunStore implements FeedRunStore {
  async insertQueued(tx: TenantTransaction, run: NewFeedRun): Promise<void> {
    const { organizationId } = tx;
    const { sha256, storageKey, originalName, runId, feedId, origin } = run;
    const bytes = BigInt(run.bytes);
    const receivedAt = new Date(run.receivedAt);
    await prismaOf(tx).feedFile.createMany({
      data: { organizationId, sha256, bytes, storageKey, originalName, firstReceivedAt: receivedAt },
      skipDuplicates: true,
    });
    await prismaOf(tx).feedRun.create({
      data: { organizationId, runId, feedId, sha256, origin, state: 'queued', receivedAt },
    });
  }

  async find(tx: TenantTransaction, runId: string): Promise<FeedRun | undefined> {
    const rows = await prismaOf(tx).$queryRawUnsafe<RunSqlRow[]>(`SELECT ${RUN_COLUMNS} WHERE r.run_id = $1`, runId);
    return rows[0] && toFeedRun(rows[0]);
  }

  async listOfFeed(
    tx: TenantTransaction,
    feedId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly FeedRun[]> {
    // Run ids are ULIDs: their order is the order of arrival.
    const rows = await prismaOf(tx).$queryRawUnsafe<RunSqlRow[]>(
      `SELECT ${RUN_COLUMNS} WHERE r.feed_id = $1 AND ($2::text IS NULL OR r.run_id < $2) ORDER BY r.run_id DESC LIMIT $3`,
      feedId,
      page.after ?? null,
      page.limit,
    );
    return rows.map(toFeedRun);
  }

  async listRows(tx: TenantTransaction, runId: string, page: RunRowPage): Promise<readonly NumberedRunRow[]> {
    const rows = await prismaOf(tx).$queryRaw<NumberedRunRow[]>`
      SELECT w.ordinal, w.line, w.record, w.column_name AS "columnName", w.disposition, w.reason, w.rooftop_id AS "rooftopId", w.vin, w.detail
      FROM feed_run_rows w JOIN feed_runs r ON r.organization_id = w.organization_id AND r.run_id = w.run_id AND r.attempt = w.attempt
      WHERE w.run_id = ${runId} AND w.ordinal > ${page.after} AND (${page.disposition ?? null}::text IS NULL OR w.disposition = ${page.disposition ?? null}::text)
      ORDER BY w.ordinal LIMIT ${page.limit}`;
    return rows.map((row) => ({ ...row, disposition: row.disposition satisfies RowDisposition }));
  }

  async findServing(tx: TenantTransaction, feedId: string): Promise<FeedRun | undefined> {
    const rows = await prismaOf(tx).$queryRawUnsafe<RunSqlRow[]>(
      `SELECT ${RUN_COLUMNS} WHERE r.feed_id = $1 AND r.state = 'published' AND EXISTS (
         SELECT FROM rooftop_inventory i JOIN snapshots s ON s.organization_id = i.organization_id AND s.snapshot_id = i.snapshot_id
         WHERE i.organization_id = r.organization_id AND s.run_id = r.run_id)
       ORDER BY r.received_at DESC, r.run_id DESC LIMIT 1`,
      feedId,
    );
    return rows[0] && toFeedRun(rows[0]);
  }

  async findNewest(tx: TenantTransaction, feedId: string): Promise<FeedRun | undefined> {
    const rows = await prismaOf(tx).$queryRawUnsafe<RunSqlRow[]>(
      `SELECT ${RUN_COLUMNS} WHERE r.feed_id = $1 AND r.state NOT IN ('failed', 'superseded') ORDER BY r.received_at DESC, r.run_id DESC LIMIT 1`,
      feedId,
    );
    return rows[0] && toFeedRun(rows[0]);
  }
}

/** Reads, through a function of the owner, the runs of all organizations that no worker holds. Ids only. */
export class PostgresOpenFeedRuns implements OpenFeedRuns {
  constructor(private readonly pool: pg.Pool) {}

  async list(limit: number): Promise<readonly { organizationId: string; runId: string; attempt: number }[]> {
    try {
      const { rows } = await this.pool.query<{ organization_id: string; run_id: string; attempt: number }>(
        'SELECT organization_id, run_id, attempt FROM open_feed_runs($1)',
        [limit],
      );
      return rows.map((row) => ({ organizationId: row.organization_id, runId: row.run_id, attempt: row.attempt }));
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}
