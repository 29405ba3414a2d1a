import type { CategoryCutoffs } from '../../../kernel/retention/category-cutoffs.js';
import type { PreviewedRun, RetentionRun, RunState } from '../app/retention-run.js';
import type { HaltKind } from '../domain/brake.js';
import type { RunPreview } from '../domain/run-preview.js';

/** A run with what halted it, times in milliseconds. */
export const RUN_COLUMNS = `r.run_id, r.state, r.requester_kind, r.requested_by, r.reason, r.categories, r.beyond_brake, r.cutoffs, r.preview, r.sketch,
  r.policy_id, r.policy_version, r.policy_hash, r.preview_hash, r.approval_id, r.approvers, r.halted_for, r.batches,
  r.standing_id, r.standing_refused,
  EXISTS (SELECT FROM retention_standing_approvals s WHERE s.organization_id = r.organization_id AND s.approval_id = r.approval_id) AS under_standing,
  r.taken::float8 AS taken, r.held::float8 AS held, r.failed::float8 AS failed, h.part AS halt_part, h.measured::float8 AS measured, h.allowed::float8 AS allowed,
  ${['requested_at', 'as_of', 'preview_expires_at', 'approved_at', 'started_at', 'finished_at', 'heartbeat_at'].map((at) => `${msOf(`r.${at}`)} AS ${at}`).join(', ')},
  ${msOf('h.at')} AS halted_at`;
export const RUN_TABLES = `retention_runs r LEFT JOIN retention_halts h ON h.organization_id = r.organization_id AND h.run_id = r.run_id`;

export interface RunRow {
  readonly run_id: string;
  readonly state: RunState;
  readonly requester_kind: string;
  readonly requested_by: string;
  readonly reason: string;
  readonly categories: string[] | null;
  readonly beyond_brake: string | null;
  readonly cutoffs: CategoryCutoffs[] | null;
  readonly preview: RunPreview | null;
  readonly sketch: Uint8Array | null;
  readonly policy_id: string | null;
  readonly policy_version: number | null;
  readonly policy_hash: string | null;
  readonly preview_hash: string | null;
  readonly approval_id: string | null;
  readonly approvers: string[] | null;
  readonly halted_for: HaltKind | null;
  readonly standing_id: string | null;
  readonly standing_refused: string | null;
  readonly under_standing: boolean;
  readonly batches: number;
  readonly taken: number;
  readonly held: number;
  readonly failed: number;
  readonly halt_part: string | null;
  readonly measured: number | null;
  readonly allowed: number | null;
  readonly requested_at: number;
  readonly as_of: number | null;
  readonly preview_expires_at: number | null;
  readonly approved_at: number | null;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly heartbeat_at: number | null;
  readonly halted_at: number | null;
}

export function runOf(row: RunRow): RetentionRun {
  const { batches, taken, held, failed, approval_id: approvalId, approved_at: approvedAt } = row;
  const approved = approvalId !== null && approvedAt !== null;
  return {
    runId: row.run_id,
    state: row.state,
    requester: { actorKind: row.requester_kind, actor: row.requested_by },
    requestedAt: row.requested_at,
    reason: row.reason,
    categories: row.categories,
    beyondBrake: row.beyond_brake,
    previewed: previewedOf(row),
    approval: approved ? { approvalId, approvers: row.approvers ?? [], approvedAt } : undefined,
    sweep: sweepOf(row),
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    heartbeatAt: row.heartbeat_at,
    progress: { batches, taken, held, failed },
    haltedFor: row.halted_for,
    halt:
      row.halted_for === null || row.halted_at === null
        ? undefined
        : {
            kind: row.halted_for,
            part: row.halt_part,
            measured: row.measured,
            allowed: row.allowed,
            at: row.halted_at,
          },
  };
}

function sweepOf({
  standing_id: standingId,
  standing_refused: refused,
  under_standing: approvedUnder,
}: RunRow): RetentionRun['sweep'] {
  return standingId === null ? undefined : { standingId, refused, approvedUnder };
}

function previewedOf(row: RunRow): PreviewedRun | undefined {
  const { as_of: asOf, cutoffs, preview, sketch, preview_hash: previewHash, preview_expires_at: expiresAt } = row;
  const { policy_id: policyId, policy_version: version, policy_hash: contentHash } = row;
  if (asOf === null || cutoffs === null || preview === null || sketch === null || previewHash === null)
    return undefined;
  if (expiresAt === null || policyId === null || version === null || contentHash === null) return undefined;
  const policy = { policyId, version, contentHash };
  return { asOf, policy, cutoffs, preview: withActions(preview), sketch, previewHash, expiresAt };
}

/** Previews of before there were other actions name none. */
const withActions = (preview: RunPreview): RunPreview => ({
  ...preview,
  parts: preview.parts.map((part) => ({ ...PREVIEWED_BEFORE, ...part })),
});
const PREVIEWED_BEFORE = { action: 'delete' } as const;

/** Whole milliseconds, rounded down: what the clocks of the decision count in. */
export function msOf(column: string): string {
  return `floor(extract(epoch FROM ${column}) * 1000)::float8`;
}
