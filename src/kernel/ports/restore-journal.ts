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
  /** `key`, `grant`, `delegation`, `client` or `person`. */
  readonly what: string;
  readonly id: string;
  readonly revokedAt: string;
}

/** Port: the append-only journal outside the database. */
export interface RestoreJournal {
  /**
   * Resolves when the entry is durable. Called inside the transaction of the change and before it commits: what commits is in the
   * journal, and an entry without its change is replayed to the same effect.
   * @throws Failure `upstream.unavailable` when it cannot be written; the change then fails.
   */
  append(entry: JournalEntry): Promise<void>;
  /** Keyed hash (HMAC-SHA-256, hex) under which a subject is journalled. */
  subjectHash(organizationId: string, subject: string): string;
}

export const RESTORE_JOURNAL = Symbol('RestoreJournal');
