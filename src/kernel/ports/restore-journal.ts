import type { TenantTransaction } from './unit-of-work.js';

/**
 * What must survive a restore of the database (decision record 0048): a restored database knows neither the holds placed nor
 * the erasures done since its backup. Ids and keyed hashes only; the whole entry is encrypted outside the database.
 */
export type JournalEntry =
  | {
      readonly kind: 'hold.placed';
      readonly organizationId: string;
      readonly holdId: string;
      readonly content: JournalledHold;
    }
  | {
      readonly kind: 'hold.released';
      readonly organizationId: string;
      readonly holdId: string;
      readonly content: JournalledRelease;
    }
  | {
      readonly kind: 'erasure';
      readonly organizationId: string;
      readonly requestId: string;
      readonly content: JournalledErasure;
    }
  | { readonly kind: 'revocation'; readonly organizationId: string; readonly content: JournalledRevocation };

/** A hold in full, so that it can be placed again. Times in RFC 3339. */
export interface JournalledHold {
  readonly matter: string;
  readonly reason: string;
  readonly rooftopIds: readonly string[] | null;
  readonly categories: readonly string[] | null;
  readonly subjects: readonly string[] | null;
  readonly recordIds: readonly string[] | null;
  readonly from: string | null;
  readonly until: string | null;
  readonly placedBy: string;
  readonly placedAt: string;
}

export interface JournalledRelease {
  readonly releasedBy: string;
  readonly releaseReason: string;
  readonly releasedAt: string;
  readonly freeFrom: string;
}

/** Subjects by keyed hash (`subjectHash`): who finds the journal learns nothing about them. */
export interface JournalledErasure {
  readonly subjectHashes: readonly string[];
  readonly ground: string;
  readonly erasedAt: string;
}

export interface JournalledRevocation {
  /** `organization` ends all access of it, for good. */
  readonly what: RevokedThing;
  readonly id: string;
  readonly revokedAt: string;
  /** Of a person who was enabled again: takes back what was journalled before. */
  readonly lifted?: true;
}

export type RevokedThing = 'key' | 'grant' | 'delegation' | 'client' | 'issuer' | 'person' | 'organization';

/** Port: the append-only journal outside the database. */
export interface RestoreJournal {
  /**
   * Resolves when the entry is durable. Called inside the transaction of the change and before it commits: what commits is in the
   * journal, and an entry without its change is replayed to the same effect.
   * @param tx the transaction of the change: with it the database knows for certain which entries it holds. A release needs it,
   *   because one that never committed must not be replayed.
   * @throws Failure `upstream.unavailable` when it cannot be written; the change then fails.
   */
  append(entry: JournalEntry, tx?: TenantTransaction): Promise<void>;
  /** Keyed hash (HMAC-SHA-256, hex) under which a subject is journalled. */
  subjectHash(organizationId: string, subject: string): string;
  /** The hashes that a subject may have been journalled under: by the key in use, then by those before it. */
  subjectHashes(organizationId: string, subject: string): readonly string[];
}

export const RESTORE_JOURNAL = Symbol('RestoreJournal');

/** Port: how revocations get into the journal. */
export interface RevocationJournal {
  /**
   * Within the transaction of the revocation. It never fails because of the journal: what must stop now does not wait for a full
   * disk. What could not be written is owed, and follows as soon as it can (decision record 0048).
   */
  note(tx: TenantTransaction, revocation: JournalledRevocation): Promise<void>;
}

export const REVOCATION_JOURNAL = Symbol('RevocationJournal');

/** What replaying an entry did. `present`: its effect was there. `absent`: what it is about is not in the restored database. */
export type ReplayOutcome = 'replayed' | 'present' | 'absent';

/** Port: does an erasure again after a restore. Implemented where subjects are erased; repeating it changes nothing. */
export interface ErasureReplay {
  /**
   * Erases the subjects of the organization whose keyed hash ({@link RestoreJournal.subjectHashes}) is among the entry's: what was
   * recorded of them before `erasedAt`, and nothing later.
   * @param tx open transaction of the organization; a dry run rolls it back
   */
  eraseAgain(tx: TenantTransaction, requestId: string, erasure: JournalledErasure): Promise<ReplayOutcome>;
}

export const ERASURE_REPLAY = Symbol('ErasureReplay');

/** Port: counts what holds cover, before erasures are done again: none may begin while a hold is not counted. */
export interface HoldCounting {
  /** Counts every hold that is not counted yet, of all organizations. */
  countAll(): Promise<void>;
}

export const HOLD_COUNTING = Symbol('HoldCounting');
