/** What is asked under an idempotency key. The body of an upload is known only when all of it has come. */
export interface KeyedContent {
  /** Whether all of it is known. */
  readonly complete: boolean;
  /** SHA-256 of path, query and canonical body (RFC 8785), or of path, query and the bytes. Only once it is complete. */
  fingerprint(): Buffer;
  /** Reads what is still to come and keeps nothing of it. @throws Failure `input.too_large` */
  drain(): Promise<void>;
}

/** A write that must take effect once, however often it is sent (hub contract, "Idempotency"). */
export interface KeyedWrite {
  readonly organizationId: string;
  /** Who sent it, by credential: another holder's same key is another key. */
  readonly owner: string;
  /** Canonical name of the operation. */
  readonly operation: string;
  /** As it came: 1 to 255 visible ASCII characters. */
  readonly key: string;
  readonly requestId: string;
  readonly content: KeyedContent;
}

/** What was answered, as it is kept. */
export interface KeyedReply {
  readonly status: number;
  /** Headers that belong to the answer, such as `etag`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
  /** `false`: what was written stays, the key is unused: the same request is run again (an action that waits for people). */
  readonly kept?: false;
}

/** Port: runs a write once for each key. */
export interface KeyedWrites {
  /**
   * Runs `effect` in one transaction with the record of its reply, or returns the reply of the first time without running
   * anything. A reply is kept without its secrets. An effect that fails leaves nothing behind, and the key unused.
   * @throws Failure `limit.busy` while the first is under way, `idempotency.mismatch` for something else under a used key,
   *   `idempotency.store_down` when the store cannot be reached: then nothing was run. Whatever `effect` throws.
   */
  run(
    write: KeyedWrite,
    effect: () => Promise<KeyedReply>,
  ): Promise<{ readonly outcome: 'first' | 'replayed'; readonly reply: KeyedReply }>;
}

export const KEYED_WRITES = Symbol('KeyedWrites');
