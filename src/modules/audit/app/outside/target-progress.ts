import type { AuditTarget, AuditTargetKind } from '../../domain/audit-target.js';

/** A target that somebody should look at. */
export interface DueTarget {
  readonly organizationId: string;
  readonly targetId: string;
}

/** A target as a job works on it. Nobody else does until the lease is over. */
export interface ClaimedTarget extends AuditTarget {
  readonly organizationId: string;
  readonly failures: number;
  readonly problem: string | null;
  readonly witnessedSize: number;
}

/** A checkpoint that a witness has not been asked about. */
export interface UnwitnessedCheckpoint {
  readonly size: number;
  readonly note: string;
  /** When it was signed: an opaque position, to be given back. */
  readonly signedAt: string;
}

/** What a target is told about one day. */
export interface Statement {
  /** Local date, YYYY-MM-DD. */
  readonly day: string;
  /** The same for every attempt, so that a receiver can tell a repetition. */
  readonly messageId: string;
  /** The newest signed note at the end of the day; null where nothing had been signed. */
  readonly note: string | null;
}

/** Port: what jobs know of targets and note about them. Times are milliseconds since the Unix epoch. */
export interface TargetProgress {
  due(kinds: readonly AuditTargetKind[], now: number): Promise<readonly DueTarget[]>;
  /** @returns undefined while somebody else works on it, or when it was revoked. */
  claim(target: DueTarget, now: number, leaseMs: number): Promise<ClaimedTarget | undefined>;
  /** The newest checkpoint, when it is newer than the one that the witness was asked about last. */
  unwitnessed(target: DueTarget): Promise<UnwitnessedCheckpoint | undefined>;
  cosigned(
    target: DueTarget,
    cosigned: UnwitnessedCheckpoint & { readonly cosignedAt: number; readonly nextAt: number; readonly now: number },
  ): Promise<void>;
  /** Unless the target was changed since it was claimed. */
  failed(target: ClaimedTarget, failure: { readonly problem: string; readonly nextAt: number }): Promise<void>;
  /** The last day that has a statement, and whether it was delivered. */
  lastStatement(target: DueTarget): Promise<{ readonly day: string; readonly delivered: boolean } | undefined>;
  /** The statement of a day: the one that was begun, else a new one with the newest checkpoint before `endsAt`. */
  statementOf(target: DueTarget, day: string, endsAt: number, now: number): Promise<Statement>;
  /** Until then there is nothing to do, unless the target was changed since it was claimed. */
  rest(target: ClaimedTarget, nextAt: number): Promise<void>;
}
