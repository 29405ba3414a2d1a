/** One thing that the authorization server remembers, as its protocol library describes it. */
export interface AuthorizationRecord {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Seconds since the Unix epoch; undefined until it was spent. */
  readonly consumedAt?: number;
}

/** What is written of a record. */
export interface NewRecord {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Milliseconds from now. */
  readonly lifetimeMs: number;
  /** What is revoked together: the consent behind codes and refresh tokens. */
  readonly grantId?: string | undefined;
  /** A second name under which it is found. */
  readonly uid?: string | undefined;
}

/**
 * Port: what the authorization server remembers, shared by every process. Ids are secrets (codes, refresh tokens, session
 * cookies): an implementation keeps their hashes, and payloads sealed. Every method throws Failure `upstream.unavailable` or
 * `limit.busy` when the database cannot be asked.
 */
export interface RecordStore {
  /** Also one that has expired: its reader says so in the protocol's words. */
  find(kind: string, id: string): Promise<AuthorizationRecord | undefined>;
  findByUid(kind: string, uid: string): Promise<AuthorizationRecord | undefined>;
  put(kind: string, id: string, record: NewRecord): Promise<void>;
  /** @returns false when it is there already, also when another process wrote it at the same moment. */
  putOnce(kind: string, id: string, record: NewRecord): Promise<boolean>;
  /** Spends it. @returns false when it was spent before; then everything of its grant has been removed. */
  consume(kind: string, id: string): Promise<boolean>;
  remove(kind: string, id: string): Promise<void>;
  /** Removes everything that came of a consent, and the consent. */
  removeGrant(grantId: string): Promise<void>;
  /** Notes that it was used and keeps it for at least so long from now. Milliseconds. */
  touch(kind: string, id: string, lifetimeMs: number): Promise<void>;
  /** How many of a kind there are that have not expired. */
  count(kind: string): Promise<number>;
  /** Removes up to `most` that have expired. @returns how many. */
  sweep(most: number): Promise<number>;
}

export const RECORD_STORE = Symbol('RecordStore');
