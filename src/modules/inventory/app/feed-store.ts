import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Feed, FetchState } from './feed.js';

export type NewFeed = Omit<
  Feed,
  'organizationId' | 'enabled' | 'version' | 'lastPulledAt' | 'fetchState' | 'createdAt'
>;

/** Port: the configured feeds of an organization. */
export interface FeedStore {
  /** @throws Failure `input.invalid` when the id is taken. */
  insert(tx: TenantTransaction, feed: NewFeed): Promise<Feed>;
  find(tx: TenantTransaction, feedId: string): Promise<Feed | undefined>;
  /** By id, those behind `after`; all of them without a page. */
  list(tx: TenantTransaction, page?: { readonly after?: string; readonly limit: number }): Promise<readonly Feed[]>;
  /** @param inForce the version that is replaced; @returns false when another one is in force. */
  change(tx: TenantTransaction, feed: Feed, inForce: number): Promise<boolean>;
  /** Notes when a feed was last pulled and what to ask with next time; nothing of a feed that was changed meanwhile. */
  notePull(
    tx: TenantTransaction,
    feed: Pick<Feed, 'feedId' | 'version'>,
    pulledAt: number,
    state: FetchState,
  ): Promise<void>;
}

/** Port: which feeds fetch for themselves, over all organizations. */
export interface FetchingFeeds {
  list(): Promise<readonly { readonly organizationId: string; readonly feedId: string }[]>;
}
