import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { FeedRun, NumberedRunRow, RowDisposition, RunOrigin } from './feed-run.js';

export interface NewFeedRun {
  readonly runId: string;
  readonly feedId: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly storageKey: string;
  readonly originalName: string;
  readonly origin: RunOrigin;
  readonly receivedAt: number;
}

/** A page of rows; continues behind `after`, the ordinal of the last row seen. */
export interface RunRowPage {
  readonly disposition?: RowDisposition;
  readonly after: number;
  readonly limit: number;
}

/** Port: feed runs as they are recorded and reported. */
export interface FeedRunStore {
  /** Records the file, where its content is new, and a queued run of it. */
  insertQueued(tx: TenantTransaction, run: NewFeedRun): Promise<void>;
  find(tx: TenantTransaction, runId: string): Promise<FeedRun | undefined>;
  /** Newest first; continues behind the run with the given id. */
  listOfFeed(
    tx: TenantTransaction,
    feedId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly FeedRun[]>;
  listRows(tx: TenantTransaction, runId: string, page: RunRowPage): Promise<readonly NumberedRunRow[]>;
  /** The run that brought what the feed serves now; undefined when it serves nothing. */
  findServing(tx: TenantTransaction, feedId: string): Promise<FeedRun | undefined>;
  /** The newest run of the feed that is neither failed nor superseded. */
  findNewest(tx: TenantTransaction, feedId: string): Promise<FeedRun | undefined>;
}

/** Port: runs that no live worker holds, over all organizations. */
export interface OpenFeedRuns {
  list(
    limit: number,
  ): Promise<readonly { readonly organizationId: string; readonly runId: string; readonly attempt: number }[]>;
}
