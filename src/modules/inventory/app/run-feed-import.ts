import { LIMITS } from '../../../kernel/limits.js';
import { vehicleIdOf } from '../../../kernel/ids.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { DealerDirectory, Rooftop } from '../../tenancy/index.js';
import { decideGuards } from '../domain/feed/decide-guards.js';
import { FeedProblem } from '../domain/feed/feed-problem.js';
import { BatchWriter } from './batch-writer.js';
import type { Feed } from './feed.js';
import { boundRooftops } from './feed.js';
import type { FeedFileStore } from './feed-file-store.js';
import type { FeedStore } from './feed-store.js';
import type { FeedRun, RunState } from './feed-run.js';
import { importReport, problemReport } from './import-report.js';
import type { BuiltSnapshot, ImportStaging } from './import-staging.js';
import { publicationDigestOf } from './publication-policy.js';
import type { PublishRun } from './publish-run.js';
import { readingSettings } from './reading-settings.js';
import type { RunLease } from './run-lease.js';
import { LeaseLost } from './run-lease.js';
import type { StagedFeed } from './stage-feed.js';
import { ImportInterrupted, stageConclusion, stageFeed } from './stage-feed.js';

export interface ImportParts {
  readonly feeds: FeedStore;
  readonly files: FeedFileStore;
  readonly staging: ImportStaging;
}

export interface ImportHooks {
  /** Aborted when the process stops. */
  readonly signal?: AbortSignal;
  progress(state: { readonly rows: number }): void;
}

/** `not_claimed`: someone else has the run, or it is over. `interrupted` and `lost`: another attempt will end it. */
export type ImportOutcome = RunState | 'not_claimed' | 'interrupted' | 'lost';

const RENEW_MS = (LIMITS.runLeaseSeconds.value * 1000) / 4;
const MAX_ATTEMPTS = 10;
const NEVER = new AbortController().signal;

/** Everything one attempt works with. */
interface Attempt {
  readonly lease: RunLease;
  readonly run: FeedRun;
  readonly feed: Feed;
  readonly rooftops: ReadonlyMap<string, Rooftop>;
}

/**
 * Brings one received file to publication. Any number of workers may try: the lease lets one work, its fencing token keeps
 * one that lost it from writing, and each attempt starts from a clean slate.
 */
export class RunFeedImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly parts: ImportParts,
    private readonly publisher: PublishRun,
    private readonly directory: DealerDirectory,
  ) {}

  /** @throws whatever went wrong beside the file's content; the run is then taken up again, a bounded number of times. */
  async run(organizationId: string, runId: string, hooks: ImportHooks): Promise<ImportOutcome> {
    const run = await this.parts.staging.claim(organizationId, runId);
    if (run === undefined) return 'not_claimed';
    const lease: RunLease = { organizationId, runId, attempt: run.attempt };
    const renewing = setInterval(() => {
      this.parts.staging.renew(lease).catch(() => undefined);
    }, RENEW_MS);
    try {
      return await this.attempt(lease, run, hooks);
    } catch (error) {
      return await this.giveUp(lease, run, error);
    } finally {
      clearInterval(renewing);
    }
  }

  private async giveUp(lease: RunLease, run: FeedRun, error: unknown): Promise<ImportOutcome> {
    if (error instanceof LeaseLost) return 'lost';
    await this.parts.staging.giveBack(lease).catch(() => undefined); // else the lease runs out
    if (error instanceof ImportInterrupted) return 'interrupted';
    if (run.attempt >= MAX_ATTEMPTS) await this.publisher.fail(lease, run.feedId, 'attempts_exhausted');
    throw error;
  }

  private async attempt(lease: RunLease, run: FeedRun, hooks: ImportHooks): Promise<RunState> {
    const attempt = await this.prepare(lease, run);
    if (run.attempt > MAX_ATTEMPTS) {
      await this.publisher.fail(lease, run.feedId, 'attempts_exhausted');
      return 'failed';
    }
    const planned = [...attempt.rooftops.values()].map(({ rooftopId, settings }) => ({
      rooftopId,
      policyDigest: publicationDigestOf(settings),
    }));
    const snapshots = await this.parts.staging.begin(lease, run.feedId, planned);
    const writer = new BatchWriter(this.parts.staging, lease, run.sha256, snapshots);
    try {
      const staged = await this.stage(attempt, writer, hooks);
      return await this.conclude(attempt, staged, snapshots, writer);
    } catch (error) {
      if (!(error instanceof FeedProblem)) throw error;
      const nothing = { snapshots: [], columnMaps: [], report: problemReport(error), holdReasons: [error.problem] };
      return this.publisher.run({ lease, run, feed: attempt.feed, ...nothing });
    }
  }

  private async prepare(lease: RunLease, run: FeedRun): Promise<Attempt> {
    const feed = await this.unitOfWork.withTenant(lease.organizationId, (tx) => this.parts.feeds.find(tx, run.feedId));
    const group = await this.directory.find(lease.organizationId);
    if (feed === undefined || group === undefined) throw new Error('a run whose feed or organization does not exist');
    const bound = new Set(boundRooftops(feed.rooftops));
    const rooftops = new Map(group.rooftops.filter((r) => bound.has(r.rooftopId)).map((r) => [r.rooftopId, r]));
    return { lease, run, feed, rooftops };
  }

  private stage({ lease, run, feed, rooftops }: Attempt, writer: BatchWriter, hooks: ImportHooks): Promise<StagedFeed> {
    const { organizationId } = lease;
    const { profile } = feed;
    const settings = readingSettings(
      feed.settings,
      [...rooftops.values()].map((r) => r.settings),
    );
    const bytes = this.parts.files.open(organizationId, run.storageKey);
    const reading = { organizationId, profile, rooftops: feed.rooftops, settings, receivedAt: run.receivedAt };
    const context = { organizationId, rooftops, feedName: feed.name, sha256: run.sha256 };
    return stageFeed(bytes, reading, writer, {
      context,
      signal: hooks.signal ?? NEVER,
      onProgress: (rows) => {
        hooks.progress({ rows });
      },
    });
  }

  private async conclude(
    attempt: Attempt,
    staged: StagedFeed,
    snapshots: readonly BuiltSnapshot[],
    writer: BatchWriter,
  ): Promise<RunState> {
    const { lease, run, feed } = attempt;
    const carriedOver = await this.settleConflicts(attempt, staged, snapshots);
    await stageConclusion(staged, writer);
    const { offered, served: previous } = await this.parts.staging.countUnits(lease, snapshots);
    const { guards } = feed.settings;
    const holdReasons = decideGuards({
      tally: staged.tally,
      previousCounts: previous,
      newCounts: offered,
      ...(guards === undefined ? {} : { guards }),
    });
    const report = importReport(staged, { offered, previous, carriedOver });
    return this.publisher.run({ lease, run, feed, snapshots, report, holdReasons, columnMaps: writer.columnMaps });
  }

  private async settleConflicts(
    { lease, rooftops }: Attempt,
    { conclusion }: StagedFeed,
    snapshots: readonly BuiltSnapshot[],
  ): Promise<number> {
    const { conflicts } = conclusion;
    if (conflicts.length === 0) return 0;
    const units = conflicts.flatMap(({ rooftopId, vin }) => {
      const rooftop = rooftops.get(rooftopId);
      return rooftop === undefined ? [] : [{ rooftopId, vehicleId: vehicleIdOf(rooftop.idSeed, vin) }];
    });
    const records = conflicts.flatMap(({ positions }) => positions.map((p) => p.record));
    return this.parts.staging.settleConflicts(lease, snapshots, { units, records });
  }
}
