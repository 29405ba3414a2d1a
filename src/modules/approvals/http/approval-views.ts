import { rfc3339 } from '../../../kernel/time.js';
import type { AssessedApproval } from '../app/assess-approval.js';

/** An approval as the admin API shows it. */
export function approvalView({ approval, decisions, status }: AssessedApproval): object {
  return {
    approval_id: approval.approvalId,
    kind: approval.kind,
    resource_id: approval.resourceId,
    content_hash: approval.contentHash,
    summary: approval.summary,
    state: status.state,
    missing: status.missing,
    requested_by: { kind: approval.requester.actorKind, id: approval.requester.actor },
    requested_at: rfc3339(approval.requestedAt),
    expires_at: rfc3339(approval.expiresAt),
    ended_at: approval.endedAt === null ? null : rfc3339(approval.endedAt),
    decisions: decisions.map(({ personId, decision, role, reason, decidedAt }) => ({
      person_id: personId,
      decision,
      role,
      ...(reason === null ? {} : { reason }),
      decided_at: rfc3339(decidedAt),
    })),
  };
}
