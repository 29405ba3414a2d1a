import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { PrivacyRequest, SealedSubject } from '../domain/privacy-request.js';

/** A piece of the file of an access request, kept by its content. */
export interface FilePart {
  readonly storageKey: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** A request that somebody has to go on with. */
export interface OpenRequest {
  readonly organizationId: string;
  readonly requestId: string;
  readonly attempt: number;
  readonly state: 'running' | 'pending' | 'ready';
}

/** Port: keeps requests. Whose data they are about is sealed, apart from everything else. */
export interface PrivacyRequestStore {
  insert(tx: TenantTransaction, request: PrivacyRequest, subject: SealedSubject): Promise<void>;
  /** @param purpose `change` locks it until the transaction ends */
  find(tx: TenantTransaction, requestId: string, purpose: 'read' | 'change'): Promise<PrivacyRequest | undefined>;
  /** Newest first, at most `limit` behind `after`. */
  list(
    tx: TenantTransaction,
    page: { readonly after?: string; readonly limit: number; readonly state?: PrivacyRequest['state'] },
  ): Promise<readonly PrivacyRequest[]>;
  /** Verified erasures of subjects with one of these hashes that are not done yet. */
  openErasures(tx: TenantTransaction, subjectHashes: readonly string[]): Promise<readonly PrivacyRequest[]>;
  /** Everything of a request that changes. */
  update(tx: TenantTransaction, request: PrivacyRequest): Promise<void>;
  /** @returns undefined once it was forgotten */
  subjectOf(tx: TenantTransaction, requestId: string): Promise<SealedSubject | undefined>;
  putSubject(tx: TenantTransaction, requestId: string, subject: SealedSubject): Promise<void>;
  /** Destroys what an ended request knew of its subject. */
  forgetSubject(tx: TenantTransaction, requestId: string): Promise<void>;
  /** Takes a running request that no live worker has. @returns the attempt, its fencing token; undefined where another has it. */
  claim(tx: TenantTransaction, requestId: string): Promise<number | undefined>;
  /** Prolongs the lease. @returns false when another worker has it. */
  isHeld(tx: TenantTransaction, requestId: string, attempt: number): Promise<boolean>;
  /** Lets it go, so that another worker may go on at once. */
  release(tx: TenantTransaction, requestId: string, attempt: number): Promise<void>;
  /** Takes the lock that no hold passes until the transaction ends, before anything is read. `approvedAt`: milliseconds. */
  joinDeletions(tx: TenantTransaction, approvedAt: number | null): Promise<void>;
  /** From now on nothing can be written in this transaction: what previews cannot erase. */
  makeReadOnly(tx: TenantTransaction): Promise<void>;
  addPart(tx: TenantTransaction, requestId: string, part: FilePart): Promise<void>;
  parts(tx: TenantTransaction, requestId: string): Promise<readonly FilePart[]>;
  /** Removes the pieces of an expired file; the file itself follows. @throws Failure `input.held` while a hold covers one */
  removeParts(tx: TenantTransaction, requestId: string): Promise<void>;
  /** Which of these holds still bind. */
  bindingHolds(tx: TenantTransaction, holdIds: readonly string[]): Promise<readonly string[]>;
  /** Of all organizations. */
  open(limit: number): Promise<readonly OpenRequest[]>;
}
