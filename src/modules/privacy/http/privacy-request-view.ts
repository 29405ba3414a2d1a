import type { DataSubject } from '../../../kernel/ports/subject-data.js';
import { rfc3339 } from '../../../kernel/time.js';
import { ANSWER_DEADLINE, dueAt } from '../domain/answer-deadline.js';
import type { PlaceTally } from '../domain/place-tally.js';
import type { PrivacyRequest } from '../domain/privacy-request.js';

const timeOf = (milliseconds: number | null): string | null => (milliseconds === null ? null : rfc3339(milliseconds));

/** A request as lists and answers to changes show it: never whom it is about. */
export function requestView(request: PrivacyRequest): object {
  const { verification, preview } = request;
  return {
    request_id: request.requestId,
    kind: request.kind,
    state: request.state,
    version: request.version,
    subject_kind: request.subjectKind,
    asked_by: request.askedBy,
    asked_reference: request.askedReference,
    received_at: rfc3339(request.receivedAt),
    received_by: request.receivedBy,
    due_at: rfc3339(request.dueAt),
    due_citation: ANSWER_DEADLINE.citation,
    extension: extensionOf(request),
    verified_at: timeOf(verification?.verifiedAt ?? null),
    verifier: verification?.verifier ?? null,
    verification_reference: verification?.reference ?? null,
    preview: preview === null ? null : { ...previewOf(request), policy: policyOf(request) },
    approval_id: request.approvalId,
    approved_at: timeOf(request.approvedAt),
    pass: request.progress.pass,
    places: request.progress.places.map(tallyView),
    waits_for_holds: request.waitsFor,
    again_at: timeOf(request.againAt),
    deletion_record_id: request.deletionRecordId,
    file_expires_at: timeOf(request.fileExpiresAt),
    refusal: request.refusal,
    closed_at: timeOf(request.closedAt),
  };
}

/** One request, with whom it is about while that is known; null once it is forgotten. */
export function requestWithSubjectView(request: PrivacyRequest, subject: DataSubject | null): object {
  return { ...requestView(request), subject_id: subject?.id ?? null };
}

function extensionOf({ extension, receivedAt }: PrivacyRequest): object | null {
  if (extension === null) return null;
  return {
    reason: extension.reason,
    notice_reference: extension.noticeReference,
    extended_by: extension.extendedBy,
    extended_at: rfc3339(extension.extendedAt),
    first_due_at: rfc3339(dueAt(receivedAt)),
  };
}

const previewOf = ({ preview, previewHash, previewedAt }: PrivacyRequest): object => ({
  hash: previewHash,
  previewed_at: timeOf(previewedAt),
  places: preview?.places.map(tallyView) ?? [],
});

function policyOf({ preview }: PrivacyRequest): object | null {
  const policy = preview?.policy ?? null;
  if (policy === null) return null;
  return { policy_id: policy.policyId, version: policy.version, content_hash: policy.contentHash };
}

const tallyView = ({ place, found, goes, kept }: PlaceTally): object => ({
  place,
  found,
  goes,
  kept: kept.map(({ why, grounds, records, until }) => ({ why, grounds, records, until: timeOf(until) })),
});
