import type { DataSubject, SubjectKind, SubjectNames } from '../../../kernel/ports/subject-data.js';
import type { ExtensionReason } from './answer-deadline.js';
import type { PlaceTally } from './place-tally.js';

export const REQUEST_KINDS = ['erasure', 'access'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

export const ASKED_BY = ['subject', 'authorized_agent', 'guardian'] as const;
export type AskedBy = (typeof ASKED_BY)[number];

export const REFUSALS = ['not_verified', 'not_covered', 'withdrawn', 'unfounded'] as const;
export type Refusal = (typeof REFUSALS)[number];

/**
 * `pending`: everything went but what a hold or a floor keeps; it is verified again when that ends.
 * `ready`: the file of an access request is there, until it expires.
 */
export const REQUEST_STATES = [
  'received',
  'verified',
  'previewed',
  'running',
  'pending',
  'ready',
  'closed',
  'refused',
] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

/** Whose data it is about, and everything they are called. Only ever stored sealed. */
export interface SealedSubject {
  readonly subject: DataSubject;
  readonly names: SubjectNames;
}

export interface ErasurePreview {
  /** Policy that decided; null while none is active: then nothing goes. */
  readonly policy: { readonly policyId: string; readonly version: number; readonly contentHash: string } | null;
  readonly places: readonly PlaceTally[];
}

/** How far the work is. Moved on in the transaction of each step. */
export interface RequestProgress {
  /** Index of the place that is worked on, in the order of the register. */
  readonly place: number;
  /** Id of the last record of it that was looked at. */
  readonly after: string;
  readonly places: readonly PlaceTally[];
  /** How often an erasure began: once, and again each time that something was let go. */
  readonly pass: number;
}

/** The one time that a request was given longer. */
export interface Extension {
  readonly reason: ExtensionReason;
  /** Where the organization keeps the notice that told whoever asked: an id of theirs. */
  readonly noticeReference: string;
  readonly extendedBy: string;
  readonly extendedAt: number;
}

/** A request, without whom it is about. Times are milliseconds. */
export interface PrivacyRequest {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly subjectKind: SubjectKind;
  /** Keyed hash, hex. */
  readonly subjectHash: string;
  readonly askedBy: AskedBy;
  /** Where the organization keeps the letter: an id of theirs. */
  readonly askedReference: string;
  readonly receivedBy: string;
  readonly receivedAt: number;
  /** The extended one, once it was extended. */
  readonly dueAt: number;
  readonly extension: Extension | null;
  readonly verification: { readonly reference: string; readonly verifier: string; readonly verifiedAt: number } | null;
  readonly state: RequestState;
  readonly version: number;
  readonly preview: ErasurePreview | null;
  readonly previewHash: string | null;
  readonly previewedAt: number | null;
  readonly approvalId: string | null;
  readonly approvedAt: number | null;
  readonly attempt: number;
  readonly progress: RequestProgress;
  /** Holds that kept something back. */
  readonly waitsFor: readonly string[];
  /** When the first floor ends that kept something back. */
  readonly againAt: number | null;
  readonly deletionRecordId: string | null;
  readonly manifest: string | null;
  readonly bytes: number;
  readonly fileExpiresAt: number | null;
  readonly refusal: Refusal | null;
  readonly closedAt: number | null;
}

export const NOT_BEGUN: RequestProgress = { place: 0, after: '', places: [], pass: 0 };
