import { isDeepStrictEqual } from 'node:util';
import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../kernel/precondition.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { FeedSettings } from '../domain/feed/feed-settings.js';
import type { ChangeAudit, ChangeOrigin } from './change-audit.js';
import { problemsOfProfile } from './create-feed.js';
import type { Feed, FeedSource } from './feed.js';
import { boundRooftops } from './feed.js';
import type { FeedStore } from './feed-store.js';

/** What is left out stays as it is. */
export interface FeedChange {
  readonly name?: string;
  readonly profile?: string;
  /** Whole, but for currency and time zone: those are kept where none is named. */
  readonly settings?: Partial<FeedSettings>;
  readonly source?: FeedSource;
  /** A feed that is off takes no files and fetches none; what it published is served until another feed publishes. */
  readonly enabled?: boolean;
}

/** Use case: changes a source of inventory. Its id and its rooftops stay: other rooftops are another feed. */
export class ChangeFeed {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly feeds: FeedStore,
    private readonly audit: ChangeAudit,
  ) {}

  /**
   * Files that were received before are read as the feed was then; the next one as it is now.
   * @param expectedVersions versions that the caller takes to be in force (If-Match); undefined when it named none
   * @throws Failure `input.precondition`, `resource.not_found`, `input.invalid` for a format that is none.
   */
  async run(
    organizationId: string,
    feedId: string,
    change: FeedChange,
    expectedVersions: ExpectedVersions,
    origin: ChangeOrigin,
  ): Promise<Feed> {
    const expected = requireVersions(expectedVersions);
    const violations = change.profile === undefined ? [] : problemsOfProfile(change.profile);
    if (violations.length > 0) throw new Failure('input.invalid', { violations });
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const feed = await this.feeds.find(tx, feedId);
      if (feed === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      requireVersion(expected, feed.version);
      const changed = changedFeed(feed, change);
      if (!(await this.feeds.change(tx, changed, feed.version)))
        throw new Failure('input.precondition', { reason: 'precondition_failed' });
      const resourceIds = [`${feedId}@${changed.version}`];
      const rooftopIds = boundRooftops(feed.rooftops);
      await this.audit.record(tx, origin, {
        ...{ operation: 'feeds.change', rooftopIds, resourceIds },
        hashes: changeHashes(feed, changed),
      });
      return changed;
    });
  }
}

function changedFeed(feed: Feed, { settings, ...rest }: FeedChange): Feed {
  const { currency, timeZone } = feed.settings;
  const isElsewhere = rest.source !== undefined && !isDeepStrictEqual(rest.source, feed.source);
  return {
    ...feed,
    ...rest,
    ...(settings === undefined ? {} : { settings: { currency, timeZone, ...settings } }),
    // What one address said of its file says nothing of another's.
    ...(isElsewhere ? { lastPulledAt: null, fetchState: {} } : {}),
    version: feed.version + 1,
  };
}
