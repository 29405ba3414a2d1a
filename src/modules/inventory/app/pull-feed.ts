import { Failure } from '../../../kernel/failure/failure.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { Feed, FetchState } from './feed.js';
import type { FeedFetcher } from './feed-fetcher.js';
import { FetchFailed } from './feed-fetcher.js';
import type { FeedStore } from './feed-store.js';
import type { ReceiveFeedFile } from './receive-feed-file.js';
import { systemOrigin } from './system-origin.js';

/** Fetches the file of one pulled feed and takes it in like any other. How it ended is kept with the feed. */
export class PullFeed {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly feeds: FeedStore,
    private readonly fetcher: FeedFetcher,
    private readonly receiving: ReceiveFeedFile,
    private readonly clock: Clock,
  ) {}

  /** Does nothing when the feed is not due: a job that was delivered twice pulls once. @returns how it ended. */
  async run(organizationId: string, feedId: string): Promise<string> {
    const feed = await this.unitOfWork.withTenant(organizationId, (tx) => this.feeds.find(tx, feedId));
    if (feed === undefined || !isPullDue(feed, this.clock.now())) return 'not_due';
    const startedAt = this.clock.now();
    const state = await this.pull(feed).catch((error: unknown) => ({ ...feed.fetchState, outcome: reasonOf(error) }));
    await this.unitOfWork.withTenant(organizationId, (tx) => this.feeds.notePull(tx, feed, startedAt, state));
    return state.outcome;
  }

  private async pull(feed: Feed): Promise<FetchState & { outcome: string }> {
    const { organizationId, feedId, source } = feed;
    if (source.kind !== 'pull') throw new FetchFailed('not_pulled');
    const fetched = await this.fetcher.fetch(source.url, feed.fetchState);
    if (fetched.kind === 'not_modified') {
      await this.receiving.reaffirm(organizationId, feedId, systemOrigin('feed-pull'));
      return { ...feed.fetchState, outcome: 'not_modified' };
    }
    const { name, chunks, state } = fetched;
    const receipt = await this.receiving.run(
      { organizationId, feedId, name, origin: 'pull', chunks },
      systemOrigin('feed-pull'),
    );
    return { ...state, outcome: receipt.outcome };
  }
}

const MINUTE_MS = 60_000;

/** Whether a pulled feed has waited its interval out. */
export function isPullDue({ enabled, source, lastPulledAt }: Feed, now: number): boolean {
  if (!enabled || source.kind !== 'pull') return false;
  return lastPulledAt === null || now - lastPulledAt >= source.interval_minutes * MINUTE_MS;
}

/** A database that is away is no outcome of the pull: the job fails and the feed stays due. */
function reasonOf(error: unknown): string {
  if (error instanceof FetchFailed) return error.reason;
  if (error instanceof Failure && error.code === 'input.too_large') return 'too_large';
  if (error instanceof Failure && error.code === 'input.unparsable') return 'empty_file';
  throw error;
}
