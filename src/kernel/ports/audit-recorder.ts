/** What one call leaves in the audit trail (DAP security profile §7). No tokens, no free text, no customer data. */
export interface AuditRecord {
  /** The request id: key of the record and, over HTTP, the X-Request-Id header. */
  readonly eventId: string;
  /** Milliseconds since the Unix epoch. */
  readonly occurredAt: number;
  readonly organizationId: string;
  readonly traceId: string;
  readonly surface: 'mcp' | 'a2a' | 'ops' | 'admin' | 'worker' | 'command';
  /** Tool or operation, by its canonical name. */
  readonly operation: string;
  readonly profile: string | null;
  readonly actorKind: 'anonymous' | 'agent' | 'key' | 'person' | 'system';
  /** Key id, person, subject or system name; null when anonymous. Erasable. */
  readonly actor: string | null;
  /** OAuth client where there is one. Erasable. */
  readonly client: string | null;
  readonly rooftopIds: readonly string[];
  readonly resourceIds: readonly string[];
  readonly decision: 'allow' | 'deny';
  /** The true reason of a denial or failure, also where the public code is collapsed. A code, never text from the caller. */
  readonly reason: string | null;
  readonly policyVersion: string | null;
  readonly outcome: 'succeeded' | 'failed' | 'denied';
  readonly failureCode: string | null;
  readonly purpose: string | null;
  /** Of an admin change: `changeHashes` of the view before and after it. Absent is null: nothing was changed. */
  readonly beforeHash?: string | null;
  readonly afterHash?: string | null;
}

/**
 * What becomes of a record while the database is away: its call fails, or it is kept on the local disk and follows later.
 * Only answers of published retail may be kept; everything protected fails closed.
 */
export type WhenAway = 'refuse' | 'spool';

/** Port: makes audit records durable. */
export interface AuditRecorder {
  /**
   * For work that must not be begun when its record could not be written: protected calls.
   * @throws Failure `upstream.unavailable` while the store is away.
   */
  assertRecordable(): void;
  /**
   * Resolves when the record is durable. `whenAway` is `refuse` unless told otherwise.
   * @throws Failure `upstream.unavailable` when the store cannot be reached, `limit.busy` when too many records wait.
   */
  record(record: AuditRecord, whenAway?: WhenAway): Promise<void>;
}

export const AUDIT_RECORDER = Symbol('AuditRecorder');
