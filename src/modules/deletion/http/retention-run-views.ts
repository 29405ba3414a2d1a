import { rfc3339 } from '../../../kernel/time.js';
import type { ProvenDeletion } from '../app/read-deletion-records.js';
import type { DeletionRecord } from '../app/deletion-records.js';
import type { PreviewedRun, RetentionRun, TakenPart } from '../app/retention-run.js';

const timeOf = (at: number | null): string | null => (at === null ? null : rfc3339(at));

/** A run as lists show it. */
export function runEntryView(run: RetentionRun): object {
  const { requester, previewed, approval, halt, progress } = run;
  return {
    run_id: run.runId,
    state: run.state,
    reason: run.reason,
    categories: run.categories,
    beyond_brake: run.beyondBrake,
    requested_by: { kind: requester.actorKind, id: requester.actor },
    requested_at: rfc3339(run.requestedAt),
    preview_hash: previewed?.previewHash ?? null,
    preview_expires_at: timeOf(previewed?.expiresAt ?? null),
    approval:
      approval === undefined
        ? null
        : {
            approval_id: approval.approvalId,
            approvers: approval.approvers,
            approved_at: rfc3339(approval.approvedAt),
          },
    sweep:
      run.sweep === undefined
        ? null
        : {
            standing_approval_id: run.sweep.standingId,
            approved_under_it: run.sweep.approvedUnder,
            left_to_people_for: run.sweep.refused,
          },
    started_at: timeOf(run.startedAt),
    finished_at: timeOf(run.finishedAt),
    heartbeat_at: timeOf(run.heartbeatAt),
    progress: { ...progress },
    halt: halt === undefined ? null : { ...halt, at: rfc3339(halt.at) },
  };
}

/** A run with its preview and what it took so far, table by table. */
export function runView({ run, taken }: { readonly run: RetentionRun; readonly taken: readonly TakenPart[] }): object {
  return {
    ...runEntryView(run),
    preview: run.previewed === undefined ? null : previewView(run.previewed),
    taken: taken.map(({ part, ...counts }) => ({ table: part, ...counts })),
  };
}

function previewView({ asOf, policy, cutoffs, preview }: PreviewedRun): object {
  return {
    as_of: rfc3339(asOf),
    policy: { policy_id: policy.policyId, version: policy.version, content_hash: policy.contentHash },
    over: preview.over,
    going: preview.going,
    held: preview.held,
    root: preview.root,
    jurisdictions: preview.jurisdictions,
    tables: preview.parts.map(({ part, inUse, ...counts }) => ({ table: part, in_use: inUse, ...counts })),
    left_alone: preview.left,
    rules: cutoffs.map(({ category, clock, action, ruleIds }) => ({ category, clock, action, rule_ids: ruleIds })),
  };
}

export const recordEntryView = ({ recordId, kind, sourceId, sha256, eventId, recordedAt }: DeletionRecord): object => ({
  record_id: recordId,
  kind,
  source_id: sourceId,
  sha256,
  event_id: eventId,
  recorded_at: rfc3339(recordedAt),
});

/** The record as text, byte for byte what was hashed, and what proves that the trail has its hash: what the offline check reads. */
export function provenView({ record, proof }: ProvenDeletion): object {
  return {
    ...recordEntryView(record),
    content: record.content,
    proof:
      proof === null
        ? null
        : {
            event_id: proof.eventId,
            seq: proof.seq,
            canon: proof.canon,
            inclusion_path: proof.inclusionPath,
            checkpoint: proof.checkpoint,
          },
  };
}
