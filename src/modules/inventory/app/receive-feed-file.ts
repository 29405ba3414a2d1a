import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newRunId } from '../../../kernel/ids.js';
import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { DealerDirectory } from '../../tenancy/index.js';
import type { ChangeAudit, ChangeOrigin } from './change-audit.js';
import type { Feed } from './feed.js';
import { boundRooftops } from './feed.js';
import type { StoredContent } from '../../../kernel/ports/content-store.js';
import type { FeedFileStore } from './feed-file-store.js';
import type { FeedRun, RunOrigin } from './feed-run.js';
import type { FeedRunStore } from './feed-run-store.js';
import type { FeedStore } from './feed-store.js';
import { enqueueRun } from './enqueue-run.js';

export interface ReceivedFile {
  readonly organizationId: string;
  readonly feedId: string;
  readonly name: string;
  readonly origin: RunOrigin;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Makes a run even when this content is what the feed serves already. */
  readonly force?: boolean;
}

/**
 * What became of a received file. `already_published`: the named run serves this very content and is far from stale, so
 * nothing was queued.
 */
export interface Receipt {
  readonly outcome: 'queued' | 'already_published';
  readonly runId: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface FeedStores {
  readonly feeds: FeedStore;
  readonly runs: FeedRunStore;
  readonly files: FeedFileStore;
  readonly audit: ChangeAudit;
}

/** Takes a feed file in, from wherever it comes: stored first, then recorded, audited and queued. */
export class ReceiveFeedFile {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly stores: FeedStores,
    private readonly queue: JobQueue,
    private readonly directory: DealerDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws Failure `resource.not_found` for an unknown or disabled feed, `input.too_large`, `input.unparsable` for an
   *   empty file.
   */
  async run(received: ReceivedFile, origin: ChangeOrigin): Promise<Receipt> {
    const { organizationId } = received;
    await this.requireFeed(received);
    const receivedAt = this.clock.now();
    const file = await this.stores.files.put(organizationId, received.chunks);
    if (file.bytes === 0) throw new Failure('input.unparsable', { reason: 'empty_body' });
    return this.take(received, file, receivedAt, origin);
  }

  /**
   * The source says that its last file still holds. Once half of its service level has passed the file is imported again:
   * it was observed anew, and would be shown as stale otherwise.
   * @returns undefined when the feed serves nothing yet.
   */
  async reaffirm(organizationId: string, feedId: string, origin: ChangeOrigin): Promise<Receipt | undefined> {
    const receivedAt = this.clock.now();
    const serving = await this.unitOfWork.withTenant(organizationId, (tx) => this.stores.runs.findServing(tx, feedId));
    if (serving === undefined) return undefined;
    const { sha256, bytes, storageKey, originalName: name } = serving;
    const nothing = { organizationId, feedId, name, origin: 'pull' as const };
    return this.take(nothing, { sha256, bytes, storageKey }, receivedAt, origin);
  }

  private async take(
    received: Omit<ReceivedFile, 'chunks'>,
    file: StoredContent,
    receivedAt: number,
    origin: ChangeOrigin,
  ): Promise<Receipt> {
    const receipt = await this.record(received, file, receivedAt, origin);
    if (receipt.outcome === 'queued') await enqueueRun(this.queue, received.organizationId, receipt.runId, 0);
    return receipt;
  }

  private requireFeed({ organizationId, feedId }: ReceivedFile): Promise<Feed> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const feed = await this.stores.feeds.find(tx, feedId);
      if (feed?.enabled !== true) throw new Failure('resource.not_found', { reason: 'not_found' });
      return feed;
    });
  }

  private record(
    received: Omit<ReceivedFile, 'chunks'>,
    file: StoredContent,
    receivedAt: number,
    origin: ChangeOrigin,
  ): Promise<Receipt> {
    const { feeds, runs, audit } = this.stores;
    return this.unitOfWork.withTenant(received.organizationId, async (tx) => {
      const feed = await feeds.find(tx, received.feedId);
      if (feed === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      const serving = received.force === true ? undefined : await runs.findServing(tx, feed.feedId);
      const same = serving?.sha256 === file.sha256 ? serving : undefined;
      const known = same !== undefined && (await this.isFarFromStale(feed, same, receivedAt)) ? same : undefined;
      const runId = known?.runId ?? newRunId();
      const from = { originalName: received.name, origin: received.origin, receivedAt };
      if (known === undefined) await runs.insertQueued(tx, { runId, feedId: feed.feedId, ...file, ...from });
      const outcome = known === undefined ? 'queued' : 'already_published';
      await audit.record(tx, origin, {
        operation: 'feeds.receive',
        rooftopIds: boundRooftops(feed.rooftops),
        resourceIds: [feed.feedId, runId],
        reason: outcome,
        hashes: changeHashes(known ?? null, known ?? { runId, feedId: feed.feedId, ...file, ...from }),
      });
      return { outcome, runId, sha256: file.sha256, bytes: file.bytes };
    });
  }

  private async isFarFromStale({ organizationId, rooftops }: Feed, serving: FeedRun, now: number): Promise<boolean> {
    const bound = new Set(boundRooftops(rooftops));
    const group = await this.directory.find(organizationId);
    const levels = (group?.rooftops ?? [])
      .filter((r) => bound.has(r.rooftopId))
      .map((r) => r.settings.freshness_sla_seconds.inventory);
    return now - serving.receivedAt < (Math.min(...levels) * 1000) / 2;
  }
}
