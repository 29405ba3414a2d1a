import { Failure } from '../../../kernel/failure/failure.js';
import { newPrivacyRequestId } from '../../../kernel/ids.js';
import { type DataSubject, subjectName } from '../../../kernel/ports/subject-data.js';
import type { ExpectedVersions } from '../../../kernel/precondition.js';
import { dueAt, extendedDueAt, type ExtensionReason } from '../domain/answer-deadline.js';
import {
  type AskedBy,
  NOT_BEGUN,
  type PrivacyRequest,
  type Refusal,
  type RequestKind,
  type RequestState,
} from '../domain/privacy-request.js';
import { present, type PrivacyOrigin, type PrivacyParts, recordChange, requestIn } from './privacy-parts.js';

export interface ReceivedRequest {
  readonly kind: RequestKind;
  readonly subject: DataSubject;
  readonly askedBy: AskedBy;
  readonly askedReference: string;
  /** When it came, in milliseconds: the deadline counts from then. */
  readonly receivedAt?: number;
}

/** Use cases: requests are received, verified, refused and looked at. */
export class ManagePrivacyRequests {
  constructor(private readonly parts: PrivacyParts) {}

  /** @throws Failure `input.invalid` for a receipt in the future */
  async receive(organizationId: string, received: ReceivedRequest, origin: PrivacyOrigin): Promise<PrivacyRequest> {
    const now = this.parts.clock.now();
    const { kind, subject, askedBy, askedReference, receivedAt = now } = received;
    if (receivedAt > now) throw receivedLater();
    const request: PrivacyRequest = {
      ...{ requestId: newPrivacyRequestId(), kind, subjectKind: subject.kind, askedBy, askedReference },
      subjectHash: this.parts.journal.subjectHash(organizationId, subjectName(subject)),
      ...{ receivedBy: origin.actor, receivedAt, dueAt: dueAt(receivedAt), extension: null, verification: null },
      ...{ state: 'received', version: 1, progress: NOT_BEGUN, attempt: 0, waitsFor: [], againAt: null, bytes: 0 },
      ...{ preview: null, previewHash: null, previewedAt: null, approvalId: null, approvedAt: null },
      ...{ deletionRecordId: null, manifest: null, fileExpiresAt: null, refusal: null, closedAt: null },
    };
    await this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.parts.store.insert(tx, request, { subject, names: {} });
      const operation = 'privacy.requests.create';
      await recordChange(this.parts, tx, origin, { operation, before: null, after: request });
    });
    return request;
  }

  /**
   * Notes that somebody made sure who asks. @param reference where the organization keeps the proof
   * @throws Failure `resource.not_found`, `input.precondition`
   */
  verify(
    organizationId: string,
    requestId: string,
    { reference, expected }: { readonly reference: string; readonly expected: ExpectedVersions },
    origin: PrivacyOrigin,
  ): Promise<PrivacyRequest> {
    const operation = 'privacy.requests.verify';
    return this.change(organizationId, { requestId, states: ['received'], expected, operation, origin }, (request) => ({
      ...request,
      state: 'verified',
      verification: { reference, verifier: origin.actor, verifiedAt: this.parts.clock.now() },
    }));
  }

  /**
   * Gives the answer 45 days more: once, and only while the first 45 are not over. @param noticeReference where the organization keeps
   * the notice that told whoever asked, and why
   * @throws Failure `resource.not_found`, `input.precondition`, also when it is too late, was done before, or the request has ended
   */
  extend(
    organizationId: string,
    requestId: string,
    asked: { readonly reason: ExtensionReason; readonly noticeReference: string; readonly expected: ExpectedVersions },
    origin: PrivacyOrigin,
  ): Promise<PrivacyRequest> {
    const { reason, noticeReference, expected } = asked;
    const states = ['received', 'verified', 'previewed', 'running', 'pending'] as const;
    const operation = 'privacy.requests.extend';
    return this.change(organizationId, { requestId, states, expected, operation, origin }, (request) => {
      const extendedAt = this.parts.clock.now();
      if (request.extension !== null) throw notExtended('extended_before');
      if (extendedAt > request.dueAt) throw notExtended('term_is_over');
      const extension = { reason, noticeReference, extendedBy: origin.actor, extendedAt };
      return { ...request, extension, dueAt: extendedDueAt(request.receivedAt) };
    });
  }

  /** Ends a request without doing it. @throws Failure `resource.not_found`, `input.precondition`, also once it is carried out */
  refuse(
    organizationId: string,
    requestId: string,
    { refusal, expected }: { readonly refusal: Refusal; readonly expected: ExpectedVersions },
    origin: PrivacyOrigin,
  ): Promise<PrivacyRequest> {
    const states = ['received', 'verified', 'previewed'] as const;
    const operation = 'privacy.requests.refuse';
    return this.change(organizationId, { requestId, states, expected, operation, origin }, (request) => ({
      ...request,
      state: 'refused',
      refusal,
      closedAt: this.parts.clock.now(),
    }));
  }

  /** With whom it is about, while that is known. @throws Failure `resource.not_found` */
  get(
    organizationId: string,
    requestId: string,
  ): Promise<{ readonly request: PrivacyRequest; readonly subject: DataSubject | null }> {
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => ({
      request: present(await this.parts.store.find(tx, requestId, 'read')),
      subject: (await this.parts.store.subjectOf(tx, requestId))?.subject ?? null,
    }));
  }

  /** Newest first. */
  list(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number; readonly state?: RequestState },
  ): Promise<readonly PrivacyRequest[]> {
    return this.parts.unitOfWork.withTenant(organizationId, (tx) => this.parts.store.list(tx, page));
  }

  private change(
    organizationId: string,
    asked: {
      readonly requestId: string;
      readonly states: readonly RequestState[];
      readonly expected: ExpectedVersions;
      readonly operation: string;
      readonly origin: PrivacyOrigin;
    },
    make: (request: PrivacyRequest) => PrivacyRequest,
  ): Promise<PrivacyRequest> {
    const { requestId, states, expected, operation, origin } = asked;
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await requestIn(this.parts, tx, requestId, states, expected);
      const after = { ...make(before), version: before.version + 1 };
      await this.parts.store.update(tx, after);
      if (after.state === 'refused') await this.parts.store.forgetSubject(tx, requestId);
      await recordChange(this.parts, tx, origin, { operation, before, after });
      return after;
    });
  }
}

function receivedLater(): Failure {
  const explanation = 'must not be in the future';
  return new Failure('input.invalid', { violations: [{ pointer: '/received_at', keyword: 'maximum', explanation }] });
}

const notExtended = (auditReason: 'extended_before' | 'term_is_over'): Failure =>
  new Failure('input.precondition', { reason: 'precondition_failed', auditReason });
