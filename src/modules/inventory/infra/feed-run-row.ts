import type { FeedRun, RunOrigin, RunState } from '../app/feed-run.js';

/** A feed run with its file, as raw statements read it. Row-level security bounds it to the tenant. */
export const RUN_COLUMNS = `r.organization_id, r.run_id, r.feed_id, r.sha256, r.origin, r.state, r.attempt, r.received_at, r.started_at, r.finished_at,
  r.progress, r.report, r.hold_reasons, f.original_name, f.bytes, f.storage_key
  FROM feed_runs r JOIN feed_files f ON f.organization_id = r.organization_id AND f.sha256 = r.sha256`;

export interface RunSqlRow {
  readonly organization_id: string;
  readonly run_id: string;
  readonly feed_id: string;
  readonly sha256: string;
  readonly origin: string;
  readonly state: string;
  readonly attempt: number;
  readonly received_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly progress: Record<string, unknown>;
  readonly report: Record<string, unknown>;
  readonly hold_reasons: string[];
  readonly original_name: string;
  readonly bytes: bigint | string;
  readonly storage_key: string;
}

export function toFeedRun(row: RunSqlRow): FeedRun {
  return {
    organizationId: row.organization_id,
    runId: row.run_id,
    feedId: row.feed_id,
    sha256: row.sha256,
    originalName: row.original_name,
    storageKey: row.storage_key,
    bytes: Number(row.bytes),
    origin: row.origin as RunOrigin,
    state: row.state as RunState,
    attempt: row.attempt,
    receivedAt: row.received_at.getTime(),
    startedAt: row.started_at?.getTime() ?? null,
    finishedAt: row.finished_at?.getTime() ?? null,
    progress: row.progress,
    report: row.report,
    holdReasons: row.hold_reasons,
  };
}
