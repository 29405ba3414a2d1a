import type { ColumnMap } from '../domain/feed/row-outcome.js';

export const RUN_ORIGINS = ['upload', 'watch', 'pull', 'command', 'demo'] as const;
export type RunOrigin = (typeof RUN_ORIGINS)[number];

export const RUN_STATES = ['queued', 'running', 'published', 'held', 'failed', 'superseded'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const ROW_DISPOSITIONS = ['quarantined', 'withheld', 'collapsed', 'flagged'] as const;
export type RowDisposition = (typeof ROW_DISPOSITIONS)[number];

/** One attempt to bring one file of one feed to publication. Times are milliseconds since the Unix epoch. */
export interface FeedRun {
  readonly organizationId: string;
  readonly runId: string;
  readonly feedId: string;
  readonly sha256: string;
  readonly originalName: string;
  readonly storageKey: string;
  readonly bytes: number;
  readonly origin: RunOrigin;
  readonly state: RunState;
  readonly attempt: number;
  readonly receivedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly progress: Readonly<Record<string, unknown>>;
  readonly report: Readonly<Record<string, unknown>>;
  readonly holdReasons: readonly string[];
}

/** Where a run stands, as a number: no two states of its attempts share one. What staff decide about a run is decided about that. */
export function versionOfRun({ attempt, state }: FeedRun): number {
  return attempt * RUN_STATES.length + RUN_STATES.indexOf(state) + 1;
}

/** A row of a run that was not simply published. */
export interface RunRow {
  readonly line: number;
  readonly record: number;
  readonly columnName: string | null;
  readonly disposition: RowDisposition;
  readonly reason: string;
  readonly rooftopId: string | null;
  readonly vin: string | null;
  readonly detail: string | null;
}

/** A run row with its place in the report, by which pages continue. */
export interface NumberedRunRow extends RunRow {
  readonly ordinal: number;
}

/** The distinct column maps of a run; units point into them by index. */
export type ColumnMaps = readonly ColumnMap[];
