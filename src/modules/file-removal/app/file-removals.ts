import type { FileKind } from '../../../kernel/ports/content-store.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** A file whose row went, and that waits to be removed. */
export interface DueRemoval {
  readonly organizationId: string;
  readonly removalId: string;
}

export interface FileToRemove {
  readonly kind: FileKind;
  readonly storageKey: string;
  /** Attempts that failed before. */
  readonly failures: number;
  /** Whether a row of the organization names the same content, now. */
  readonly isNamed: boolean;
}

/** `kept`: another row names the content. `absent`: it was gone already, as after a worker that died. */
export type RemovalOutcome = 'removed' | 'absent' | 'kept';

/** How the removals of an organization go. */
export interface RemovalStatus {
  readonly waiting: number;
  readonly removed: number;
  readonly kept: number;
  /** Milliseconds; null while nothing waits. */
  readonly waitingSince: number | null;
  /** Of the removal that failed most often: a code of the store; null while none fails. */
  readonly problem: string | null;
  readonly failing: number;
}

/** Port: files that wait to be removed. Their rows are written by the database itself, where the rows that named them go. */
export interface FileRemovals {
  /** Across organizations, those that wait longest first. */
  due(most: number): Promise<readonly DueRemoval[]>;
  /** Locks a removal until the transaction ends. @returns undefined where it has ended or another process works on it */
  take(tx: TenantTransaction, removalId: string): Promise<FileToRemove | undefined>;
  /** Whether a row of the organization names the content. */
  isNamed(tx: TenantTransaction, kind: FileKind, storageKey: string): Promise<boolean>;
  end(tx: TenantTransaction, removalId: string, outcome: RemovalOutcome): Promise<void>;
  /** Tries again after a while. `problem`: a code, null where there is none and the file is in use for now. */
  postpone(tx: TenantTransaction, removalId: string, afterMs: number, problem: string | null): Promise<void>;
  status(tx: TenantTransaction): Promise<RemovalStatus>;
}
