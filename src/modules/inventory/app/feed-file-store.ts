import type { FeedBytes } from '../domain/feed/feed-bytes.js';

export interface StoredFile {
  /** Lower-case hex digest of the content: the file's identity. */
  readonly sha256: string;
  readonly bytes: number;
  readonly storageKey: string;
}

/**
 * Port: keeps received files by their content (decision record 0013). What was put is complete and durable; nothing
 * half-written is ever visible under its key.
 */
export interface FeedFileStore {
  /**
   * Stores a stream while hashing it. The same content twice is kept once.
   * @throws Failure `input.too_large` above LIMITS.uploadBytes; whatever the stream throws.
   */
  put(organizationId: string, chunks: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /** The content behind a key of the organization; opened anew for every pass. */
  open(organizationId: string, storageKey: string): FeedBytes;
}
