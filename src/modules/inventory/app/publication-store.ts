import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { BuiltSnapshot } from './import-staging.js';
import type { ColumnMaps } from './feed-run.js';
import type { RunLease } from './run-lease.js';

/** What a rooftop serves now. */
export interface ServedRooftop {
  readonly rooftopId: string;
  readonly snapshotId: string;
  readonly feedId: string;
  readonly feedEnabled: boolean;
  /** Milliseconds: when the served file arrived. */
  readonly receivedAt: number;
  readonly unitCount: number;
}

export interface RunConclusion {
  readonly state: 'published' | 'held' | 'failed' | 'superseded';
  readonly report: Readonly<Record<string, unknown>>;
  readonly holdReasons: readonly string[];
  readonly columnMaps: ColumnMaps;
  /** Whether what was built is a whole file and may be released later. Otherwise it is removed. */
  readonly releasable: boolean;
}

/** Port: what is published, and the switch from one snapshot to the next. */
export interface PublicationStore {
  /**
   * Waits for every other change of what the organization publishes to end, and keeps new ones waiting: what is read after
   * this call stays true until the transaction ends.
   */
  lock(tx: TenantTransaction): Promise<void>;
  served(tx: TenantTransaction, rooftopIds: readonly string[]): Promise<readonly ServedRooftop[]>;
  /** Makes the snapshots the ones that are served, and retires those before them and older held runs of the feed. */
  switchTo(
    tx: TenantTransaction,
    run: { readonly runId: string; readonly feedId: string; readonly receivedAt: number },
    snapshots: readonly BuiltSnapshot[],
  ): Promise<void>;
  /** Counts the change, and tells every process of it when the transaction commits. @returns the new version. */
  announce(tx: TenantTransaction): Promise<number>;
  /** Ends a running attempt. @throws LeaseLost */
  conclude(tx: TenantTransaction, lease: RunLease, conclusion: RunConclusion): Promise<void>;
  /** Ends a held run as published. False when it is no longer held. */
  concludeRelease(tx: TenantTransaction, runId: string, releasedBy: string): Promise<boolean>;
  /** The snapshots that a held run built. */
  heldSnapshots(tx: TenantTransaction, runId: string): Promise<readonly BuiltSnapshot[]>;
}
