import type { CategoryCutoffs, RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { Halt, HaltKind } from '../domain/brake.js';
import type { BoundPolicy, RunPreview } from '../domain/run-preview.js';

export const RUN_STATES = ['draft', 'previewed', 'approved', 'running', 'done', 'halted', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** What somebody asks for: a preview of everything that is over, or of some categories. */
export interface RequestedRun {
  readonly reason: string;
  /** Null: every category of the policy. */
  readonly categories: readonly string[] | null;
  /** Why more may go than the brake lets through. Null: it stops the run. */
  readonly beyondBrake: string | null;
}

/** What a preview left on its run. Times are milliseconds. */
export interface PreviewedRun {
  readonly asOf: number;
  readonly policy: BoundPolicy;
  readonly cutoffs: readonly CategoryCutoffs[];
  readonly preview: RunPreview;
  readonly sketch: Uint8Array;
  readonly previewHash: string;
  readonly expiresAt: number;
}

/** A run as kept. Times are milliseconds. */
export interface RetentionRun extends RequestedRun {
  readonly runId: string;
  readonly state: RunState;
  readonly requester: { readonly actorKind: string; readonly actor: string };
  readonly requestedAt: number;
  /** Undefined before it was previewed. */
  readonly previewed: PreviewedRun | undefined;
  readonly approval:
    { readonly approvalId: string; readonly approvers: readonly string[]; readonly approvedAt: number } | undefined;
  /** Of a run that the daily sweep asked for. `refused`: why it waits for people, a code; null: nobody decided, or it went on. */
  readonly sweep:
    { readonly standingId: string; readonly refused: string | null; readonly approvedUnder: boolean } | undefined;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly heartbeatAt: number | null;
  readonly progress: {
    readonly batches: number;
    readonly taken: number;
    readonly held: number;
    readonly failed: number;
  };
  readonly halt: (Halt & { readonly at: number }) | undefined;
  readonly haltedFor: HaltKind | null;
}

/** What one worker holds of a run. */
export interface RunLease {
  readonly organizationId: string;
  readonly runId: string;
  /** Who holds an older one does nothing any more. */
  readonly lease: number;
}

/** Evidence of all batches of a run, by table. */
export interface TakenPart {
  readonly category: RetentionCategory;
  readonly action: RetentionAction;
  readonly part: string;
  readonly taken: number;
  readonly held: number;
  readonly failed: number;
  readonly rooftops: Readonly<Record<string, number>>;
  readonly holds: Readonly<Record<string, number>>;
}
