export interface StoredContent {
  /** Lower-case hex digest of the content: its identity. */
  readonly sha256: string;
  readonly bytes: number;
  readonly storageKey: string;
}

/** What a file is; each kind has a store of its own. */
export const FILE_KINDS = ['feed_file', 'audit_export', 'privacy_file'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/**
 * Port: keeps files by their content (decision record 0013). What was put is complete and durable; nothing half-written is
 * ever visible under its key.
 */
export interface ContentStore {
  /** Stores a stream while hashing it. The same content twice is kept once. @throws whatever the stream throws. */
  put(organizationId: string, chunks: AsyncIterable<Uint8Array>): Promise<StoredContent>;
  /** The content behind a key of the organization; opened anew for every pass. */
  open(organizationId: string, storageKey: string): { chunks(): AsyncIterable<Uint8Array> };
  /**
   * Removes a file for good, unless it was put again within the last `unusedMs`: whoever put it may not have written yet that
   * it is theirs.
   * @returns what was found: `removed`, `absent` (also where an earlier attempt removed it), `in_use` for one that was put again
   */
  remove(organizationId: string, storageKey: string, unusedMs: number): Promise<'removed' | 'absent' | 'in_use'>;
}
