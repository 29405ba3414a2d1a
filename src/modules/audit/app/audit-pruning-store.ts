import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { VaultStatement } from '../domain/vault.js';

/** Where the pruning of a run stands. */
export interface PruningState {
  /** `name@version` */
  readonly policy: string;
  /** The minimum index that the run recorded; null before it did. */
  readonly recorded: number | null;
  /** Whether the record of that has its place in the log: nothing goes before. */
  readonly numbered: boolean | null;
  /** Months (`2026-11-01`) that may be over; there when rows are about to go. */
  readonly months: readonly string[] | null;
  /** Years of entries that may be over; there when the run is done with rows. */
  readonly years: readonly number[] | null;
  /** Where the log can be cut; null once that is recorded. */
  readonly cut: LogCut | null;
}

/** Some rows of the log, or records of the vault, as retention runs and their previews count them (their Slice). */
export interface PrunedSlice {
  readonly part: string;
  /** Keyed hashes, 32 bytes each, one after the other. */
  readonly hashes: Uint8Array;
  readonly heldAt: readonly number[];
  readonly usedAt: readonly number[];
  readonly rooftops: Readonly<Record<string, number>>;
  readonly holds: Readonly<Record<string, number>>;
  readonly first: string | null;
  readonly last: string | null;
}

/** Where the log was cut before, and where it can be cut under some cutoffs: the same where there is nothing to cut. */
export interface LogCut {
  readonly fromIndex: number;
  readonly minIndex: number;
  /** Rows that a checkpoint covers. */
  readonly size: number;
}

/** What one step did. */
export type PruningStep =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'done';
      readonly slice: PrunedSlice;
      /** What is in the vault has to be said in the log, in the transaction of the step. */
      readonly restate: boolean;
      readonly finished: boolean;
    };

/** What a run notes before rows go. */
export interface RecordedPruning {
  /** Id of the `log.pruned` record of the same transaction. */
  readonly eventId: string;
  readonly minIndex: number;
  readonly size: number;
  readonly root: Uint8Array;
}

/** Port: what a retention run does to the trail. All of it demands an approved run, in the database itself. */
export interface AuditPruningStore {
  /** @throws Error for a run that there is not */
  state(tx: TenantTransaction, runId: string): Promise<PruningState>;
  /** Rows of the log, and records of the vault. */
  sizes(tx: TenantTransaction): Promise<readonly { readonly part: string; readonly records: number }[]>;
  cut(tx: TenantTransaction, cutoffs: object): Promise<LogCut>;
  /** Which records a cut by these cutoffs leaves, in the words of `read_for` (migration 46); null: nothing is cut. */
  rest(tx: TenantTransaction, cutoffs: object): Promise<object | null>;
  /** Rows from `from` on, before `to`, both at the edge of a tile. `tx` is read only. */
  preview(tx: TenantTransaction, runId: string, from: number, to: number): Promise<PrunedSlice>;
  /** Vaulted records that are over, slice by slice. `tx` is read only. */
  previewVault(
    tx: TenantTransaction,
    runId: string,
    cutoffs: object,
    take: (slice: PrunedSlice) => void,
  ): Promise<void>;
  record(tx: TenantTransaction, run: { runId: string; lease: number }, pruning: RecordedPruning): Promise<void>;
  step(tx: TenantTransaction, run: { runId: string; lease: number }, most: number): Promise<PruningStep>;
  vaultStatement(tx: TenantTransaction): Promise<VaultStatement>;
  /**
   * Drops a month whose records are all over, of every organization.
   * @returns organizations some of whose records went into the vault instead; undefined where the month stays
   */
  dropMonth(tx: TenantTransaction, month: string): Promise<ReadonlyMap<string, VaultStatement> | undefined>;
  /** Drops a year of entries whose records are all gone, once every run has the evidence; it stays where that cannot be yet. */
  dropYear(tx: TenantTransaction, year: number): Promise<void>;
}
