import type pg from 'pg';
import { Failure } from '../../../kernel/failure/failure.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { Feed, FeedSource, FetchState } from '../app/feed.js';
import type { FeedStore, FetchingFeeds, NewFeed } from '../app/feed-store.js';
import type { FeedSettings, RooftopBinding } from '../domain/feed/feed-settings.js';

type FeedRow = NonNullable<Awaited<ReturnType<ReturnType<typeof prismaOf>['feed']['findFirst']>>>;

export class PrismaFeedStore implements FeedStore {
  async insert(tx: TenantTransaction, feed: NewFeed): Promise<Feed> {
    const { organizationId } = tx;
    const { feedId, name, profile } = feed;
    const taken = await prismaOf(tx).feed.findUnique({ where: { organizationId_feedId: { organizationId, feedId } } });
    if (taken !== null) {
      const violations = [{ pointer: '/feed_id', keyword: 'uniqueItems', explanation: 'is taken by another feed' }];
      throw new Failure('input.invalid', { violations, auditReason: 'feed_id_taken' });
    }
    const row = await prismaOf(tx).feed.create({
      data: {
        organizationId,
        feedId,
        name,
        profile,
        rooftops: asJson(feed.rooftops),
        settings: asJson(feed.settings),
        source: asJson(feed.source),
      },
    });
    return toFeed(row);
  }

  async find(tx: TenantTransaction, feedId: string): Promise<Feed | undefined> {
    const row = await prismaOf(tx).feed.findUnique({
      where: { organizationId_feedId: { organizationId: tx.organizationId, feedId } },
    });
    return row === null ? undefined : toFeed(row);
  }

  async list(
    tx: TenantTransaction,
    page?: { readonly after?: string; readonly limit: number },
  ): Promise<readonly Feed[]> {
    const rows = await prismaOf(tx).feed.findMany({
      where: {
        organizationId: tx.organizationId,
        ...(page?.after === undefined ? {} : { feedId: { gt: page.after } }),
      },
      orderBy: { feedId: 'asc' },
      ...(page === undefined ? {} : { take: page.limit }),
    });
    return rows.map(toFeed);
  }

  async change(tx: TenantTransaction, feed: Feed, inForce: number): Promise<boolean> {
    const { organizationId } = tx;
    const { feedId, name, profile, enabled, version, lastPulledAt } = feed;
    const { count } = await prismaOf(tx).feed.updateMany({
      where: { organizationId, feedId, version: inForce },
      data: {
        ...{ name, profile, enabled, version, updatedAt: new Date() },
        settings: asJson(feed.settings),
        source: asJson(feed.source),
        // A fetch notes beside the version: only a new source forgets what the last one left behind.
        ...(lastPulledAt === null ? { lastPulledAt, fetchState: asJson(feed.fetchState) } : {}),
      },
    });
    return count === 1;
  }

  async notePull(
    tx: TenantTransaction,
    { feedId, version }: Pick<Feed, 'feedId' | 'version'>,
    pulledAt: number,
    state: FetchState,
  ): Promise<void> {
    await prismaOf(tx).feed.updateMany({
      where: { organizationId: tx.organizationId, feedId, version },
      data: { lastPulledAt: new Date(pulledAt), fetchState: asJson(state) },
    });
  }
}

/** Reads, through a function of the owner, the feeds of all organizations that fetch for themselves. Ids only. */
export class PostgresFetchingFeeds implements FetchingFeeds {
  constructor(private readonly pool: pg.Pool) {}

  async list(): Promise<readonly { organizationId: string; feedId: string }[]> {
    try {
      const { rows } = await this.pool.query<{ organization_id: string; feed_id: string }>(
        'SELECT organization_id, feed_id FROM fetching_feeds()',
      );
      return rows.map((row) => ({ organizationId: row.organization_id, feedId: row.feed_id }));
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}

/** What was checked when it was written. */
function toFeed(row: FeedRow): Feed {
  return {
    organizationId: row.organizationId,
    feedId: row.feedId,
    name: row.name,
    profile: row.profile,
    rooftops: row.rooftops as unknown as RooftopBinding,
    settings: row.settings as unknown as FeedSettings,
    source: row.source as unknown as FeedSource,
    enabled: row.enabled,
    version: row.version,
    lastPulledAt: row.lastPulledAt?.getTime() ?? null,
    fetchState: row.fetchState as FetchState,
    createdAt: row.createdAt.getTime(),
  };
}

/** A plain copy: Prisma's JSON type knows no readonly members. */
function asJson(value: object): object {
  return structuredClone(value);
}
