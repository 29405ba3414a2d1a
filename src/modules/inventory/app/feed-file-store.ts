import type { ContentStore, StoredContent } from '../../../kernel/ports/content-store.js';
import type { FeedBytes } from '../domain/feed/feed-bytes.js';

/** Port: keeps received files by their content. */
export interface FeedFileStore extends ContentStore {
  /** @throws Failure `input.too_large` above LIMITS.uploadBytes; whatever the stream throws. */
  put(organizationId: string, chunks: AsyncIterable<Uint8Array>): Promise<StoredContent>;
  open(organizationId: string, storageKey: string): FeedBytes;
}
