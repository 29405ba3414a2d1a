import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Halt } from '../domain/brake.js';
import type { PreviewedRun, RequestedRun, RetentionRun, RunLease, TakenPart } from './retention-run.js';

/** A run that is begun; its key never leaves the database again. */
export interface DraftedRun extends RequestedRun {
  readonly runId: string;
  readonly requester: RetentionRun['requester'];
  readonly hashKey: Uint8Array;
}

export interface RunPage {
  /** The last id of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** Port: keeps the runs of retention. A run only goes forward. */
export interface RunStore {
  add(tx: TenantTransaction, draft: DraftedRun): Promise<void>;
  find(tx: TenantTransaction, runId: string): Promise<RetentionRun | undefined>;
  /** As {@link find}; nobody else changes it before the transaction ends. */
  lock(tx: TenantTransaction, runId: string): Promise<RetentionRun | undefined>;
  /** Newest first. */
  list(tx: TenantTransaction, page: RunPage): Promise<readonly RetentionRun[]>;
  /** Evidence of its batches. */
  taken(tx: TenantTransaction, runId: string): Promise<readonly TakenPart[]>;
  /** What was over by the previews of runs of the last 30 days that were carried out, by `laneOf`. Looking makes nothing usual. */
  earlier(tx: TenantTransaction, runId: string): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Categories in the order in which records go: what is referred to comes after what refers to it. */
  order(tx: TenantTransaction): Promise<readonly RetentionCategory[]>;
  /** The database's clock, in milliseconds. */
  now(tx: TenantTransaction): Promise<number>;
  /** Transactions of the database so far, whoever made them. Those of a session show after a second, or once it is {@link shown}. */
  transactions(tx: TenantTransaction): Promise<number>;
  /** What this session did shows in {@link transactions} as soon as `tx` has ended. */
  shown(tx: TenantTransaction): Promise<void>;

  /** Takes hold of a run that has work to do and that nobody works on. @returns undefined where there is none. */
  claim(organizationId: string, runId: string, forMs: number): Promise<RunLease | undefined>;
  /** Keeps hold of it while it works. */
  renew(lease: RunLease, forMs: number): Promise<void>;
  /** Lets go, so that somebody else may go on at once. */
  release(lease: RunLease): Promise<void>;
  /** Runs with work to do that nobody works on, of all organizations. */
  open(most: number): Promise<readonly { readonly organizationId: string; readonly runId: string }[]>;

  /** What follows changes the run of a lease. @throws RunNotInForce for an older lease or another state. */
  previewed(tx: TenantTransaction, lease: RunLease, previewed: PreviewedRun): Promise<void>;
  begin(tx: TenantTransaction, lease: RunLease): Promise<void>;
  /** The right edge of the tree over what was taken. */
  noteTree(tx: TenantTransaction, lease: RunLease, tree: Uint8Array): Promise<void>;
  tree(tx: TenantTransaction, lease: RunLease): Promise<Uint8Array>;
  finish(tx: TenantTransaction, lease: RunLease): Promise<void>;

  /** Approved by people, with the approval that was just spent. */
  approve(tx: TenantTransaction, runId: string, approvalId: string, approvers: readonly string[]): Promise<void>;
  halt(tx: TenantTransaction, runId: string, halt: Halt): Promise<void>;
  cancel(tx: TenantTransaction, runId: string): Promise<void>;
}
