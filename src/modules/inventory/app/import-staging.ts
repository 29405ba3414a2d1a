import type { WithheldReason } from '../domain/feed/row-outcome.js';
import type { FeedRun, RunRow } from './feed-run.js';
import type { RunLease } from './run-lease.js';

/** A unit on its way into a snapshot. `head` is its serialised vehicle, null exactly when it is withheld. */
export interface StagedUnit {
  readonly snapshotId: string;
  readonly vehicleId: string;
  /** The unit (ListedUnit) as JSON text. */
  readonly unitJson: string;
  readonly head: string | null;
  readonly withheld: WithheldReason | null;
  readonly line: number;
  readonly record: number;
  /** Index into the run's column maps. */
  readonly columnMap: number;
}

export interface StagedBatch {
  readonly sha256: string;
  readonly units: readonly StagedUnit[];
  /** Ordinal of the first of `rows` in the run's report. */
  readonly firstOrdinal: number;
  readonly rows: readonly RunRow[];
  readonly progress: Readonly<Record<string, number>>;
}

/** What the file contradicts itself about: units, and the records that speak of them. */
export interface Conflicts {
  readonly units: readonly { readonly rooftopId: string; readonly vehicleId: string }[];
  readonly records: readonly number[];
}

/** A snapshot to be: of which rooftop, and the digest of the policy that its units are serialised with. */
export interface PlannedSnapshot {
  readonly rooftopId: string;
  readonly policyDigest: string;
}

/** A snapshot under construction. */
export interface BuiltSnapshot {
  readonly rooftopId: string;
  readonly snapshotId: string;
}

/** Offered units by rooftop: in the new snapshots, and in what is served until they are published. */
export interface UnitCounts {
  readonly offered: Readonly<Record<string, number>>;
  readonly served: Readonly<Record<string, number>>;
}

/**
 * Port: where a run builds its snapshots, out of sight of everybody. Every method writes in a transaction of its own that
 * first proves the lease and renews it.
 */
export interface ImportStaging {
  /** Takes a queued run, or one whose worker is gone; undefined when someone holds it or it is finished. */
  claim(organizationId: string, runId: string): Promise<FeedRun | undefined>;
  /** @throws LeaseLost */
  renew(lease: RunLease): Promise<void>;
  /** Gives the run back, for another worker to take at once. */
  giveBack(lease: RunLease): Promise<void>;
  /** Removes what earlier attempts left and opens one empty snapshot for each rooftop. @throws LeaseLost */
  begin(lease: RunLease, feedId: string, planned: readonly PlannedSnapshot[]): Promise<readonly BuiltSnapshot[]>;
  /** @throws LeaseLost */
  stage(lease: RunLease, batch: StagedBatch): Promise<void>;
  /**
   * Takes conflicting units back out of the snapshots and puts in their place what each rooftop serves for them now, where
   * it serves something (field failure 7). A snapshot that takes units in which were serialised under another policy no
   * longer vouches for one. What was noted of their rows before the conflict was known is withdrawn.
   * @returns how many units were carried over. @throws LeaseLost
   */
  settleConflicts(lease: RunLease, snapshots: readonly BuiltSnapshot[], conflicts: Conflicts): Promise<number>;
  /** Counts what each snapshot offers, notes it in the snapshot, and says what is served now. @throws LeaseLost */
  countUnits(lease: RunLease, snapshots: readonly BuiltSnapshot[]): Promise<UnitCounts>;
}
