import type { Extension, PrivacyRequest } from '../domain/privacy-request.js';

/** Columns that a request is read from and written to, with their types. */
export const COLUMNS = {
  request_id: 'text',
  kind: 'text',
  subject_kind: 'text',
  subject_hash: 'text',
  asked_by: 'text',
  asked_reference: 'text',
  received_by: 'text',
  received_at: 'timestamptz',
  due_at: 'timestamptz',
  extended_at: 'timestamptz',
  extended_by: 'text',
  extension_reason: 'text',
  extension_notice: 'text',
  verification_reference: 'text',
  verifier: 'text',
  verified_at: 'timestamptz',
  state: 'text',
  version: 'integer',
  preview: 'jsonb',
  preview_hash: 'text',
  previewed_at: 'timestamptz',
  approval_id: 'text',
  approved_at: 'timestamptz',
  attempt: 'integer',
  progress: 'jsonb',
  waits_for: 'text[]',
  again_at: 'timestamptz',
  deletion_record_id: 'text',
  manifest: 'text',
  bytes: 'bigint',
  file_expires_at: 'timestamptz',
  refusal: 'text',
  closed_at: 'timestamptz',
} as const;

type Written = Record<keyof typeof COLUMNS, unknown>;

/** As the driver gives it. */
export interface RequestRow extends Readonly<Record<keyof typeof COLUMNS, unknown>> {
  readonly request_id: string;
}

const at = (milliseconds: number | null): Date | null => (milliseconds === null ? null : new Date(milliseconds));
const ms = (value: unknown): number => (value as Date).getTime();
const msOrNull = (value: unknown): number | null => (value === null ? null : ms(value));

/** The attempt is the lease's alone. */
export function rowOf(request: PrivacyRequest): Omit<Written, 'attempt'> {
  const { verification, extension } = request;
  return {
    request_id: request.requestId,
    kind: request.kind,
    subject_kind: request.subjectKind,
    subject_hash: request.subjectHash,
    asked_by: request.askedBy,
    asked_reference: request.askedReference,
    received_by: request.receivedBy,
    received_at: at(request.receivedAt),
    due_at: at(request.dueAt),
    extended_at: at(extension?.extendedAt ?? null),
    extended_by: extension?.extendedBy ?? null,
    extension_reason: extension?.reason ?? null,
    extension_notice: extension?.noticeReference ?? null,
    verification_reference: verification?.reference ?? null,
    verifier: verification?.verifier ?? null,
    verified_at: at(verification?.verifiedAt ?? null),
    state: request.state,
    version: request.version,
    preview: request.preview === null ? null : JSON.stringify(request.preview),
    preview_hash: request.previewHash,
    previewed_at: at(request.previewedAt),
    approval_id: request.approvalId,
    approved_at: at(request.approvedAt),
    progress: JSON.stringify(request.progress),
    waits_for: [...request.waitsFor],
    again_at: at(request.againAt),
    deletion_record_id: request.deletionRecordId,
    manifest: request.manifest,
    bytes: request.bytes,
    file_expires_at: at(request.fileExpiresAt),
    refusal: request.refusal,
    closed_at: at(request.closedAt),
  };
}

export function requestOf(row: RequestRow): PrivacyRequest {
  return {
    requestId: row.request_id,
    kind: row.kind as PrivacyRequest['kind'],
    subjectKind: row.subject_kind as PrivacyRequest['subjectKind'],
    subjectHash: row.subject_hash as string,
    askedBy: row.asked_by as PrivacyRequest['askedBy'],
    askedReference: row.asked_reference as string,
    receivedBy: row.received_by as string,
    receivedAt: ms(row.received_at),
    dueAt: ms(row.due_at),
    extension: extensionOf(row),
    verification: verificationOf(row),
    state: row.state as PrivacyRequest['state'],
    version: row.version as number,
    preview: row.preview as PrivacyRequest['preview'],
    previewHash: row.preview_hash as string | null,
    previewedAt: msOrNull(row.previewed_at),
    approvalId: row.approval_id as string | null,
    approvedAt: msOrNull(row.approved_at),
    attempt: row.attempt as number,
    progress: row.progress as PrivacyRequest['progress'],
    waitsFor: row.waits_for as string[],
    againAt: msOrNull(row.again_at),
    deletionRecordId: row.deletion_record_id as string | null,
    manifest: row.manifest as string | null,
    bytes: Number(row.bytes),
    fileExpiresAt: msOrNull(row.file_expires_at),
    refusal: row.refusal as PrivacyRequest['refusal'],
    closedAt: msOrNull(row.closed_at),
  };
}

function verificationOf(row: RequestRow): PrivacyRequest['verification'] {
  if (row.verified_at === null) return null;
  const reference = row.verification_reference as string;
  return { reference, verifier: row.verifier as string, verifiedAt: ms(row.verified_at) };
}

function extensionOf(row: RequestRow): PrivacyRequest['extension'] {
  if (row.extended_at === null) return null;
  const reason = row.extension_reason as Extension['reason'];
  const noticeReference = row.extension_notice as string;
  return { reason, noticeReference, extendedBy: row.extended_by as string, extendedAt: ms(row.extended_at) };
}
