export interface StoredContent {
  /** Lower-case hex digest of the content: its identity. */
  readonly sha256: string;
  readonly bytes: number;
  readonly storageKey: string;
}

/**
 * Port: keeps files by their content (decision record 0013). What was put is complete and durable; nothing half-written is
 * ever visible under its key.
 */
export interface ContentStore {
  /** Stores a stream while hashing it. The same content twice is kept once. @throws whatever the stream throws. */
  put(organizationId: string, chunks: AsyncIterable<Uint8Array>): Promise<StoredContent>;
  /** The content behind a key of the organization; opened anew for every pass. */
  open(organizationId: string, storageKey: string): { chunks(): AsyncIterable<Uint8Array> };
}
