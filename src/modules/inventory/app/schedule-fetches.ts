import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { Feed } from './feed.js';
import type { FeedStore, FetchingFeeds } from './feed-store.js';
import { isPullDue } from './pull-feed.js';

/** Finds the feeds that fetch for themselves: due pulls become jobs, watched folders are handed back to be looked at. */
export class ScheduleFetches {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly stores: { readonly feeds: FeedStore; readonly fetchingFeeds: FetchingFeeds },
    private readonly queue: JobQueue,
    private readonly clock: Clock,
  ) {}

  /** @returns the enabled feeds with a watched folder. */
  async run(): Promise<readonly Feed[]> {
    const watched: Feed[] = [];
    for (const { organizationId, feedId } of await this.stores.fetchingFeeds.list()) {
      const feed = await this.unitOfWork.withTenant(organizationId, (tx) => this.stores.feeds.find(tx, feedId));
      if (feed?.enabled !== true) continue;
      if (feed.source.kind === 'watch') watched.push(feed);
      else if (isPullDue(feed, this.clock.now())) {
        await this.queue.add('feed-fetches', `pull-${organizationId}-${feedId}`, { organizationId, id: feedId });
      }
    }
    return watched;
  }
}
