import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { ChangeAudit } from './change-audit.js';
import type { Feed } from './feed.js';
import type { ColumnMaps, FeedRun, RunState } from './feed-run.js';
import type { BuiltSnapshot } from './import-staging.js';
import type { PublicationStore, ServedRooftop } from './publication-store.js';
import type { RunLease } from './run-lease.js';
import { systemOrigin } from './system-origin.js';

/** A run whose file was read to its end, or that found out why it cannot be. */
export interface ConcludedRun {
  readonly lease: RunLease;
  readonly run: FeedRun;
  readonly feed: Feed;
  /** Empty when the file could not be read to its end. */
  readonly snapshots: readonly BuiltSnapshot[];
  readonly report: Readonly<Record<string, unknown>>;
  readonly holdReasons: readonly string[];
  readonly columnMaps: ColumnMaps;
}

type Decision = { readonly state: 'published' | 'held' | 'superseded'; readonly holdReasons: readonly string[] };

/**
 * Ends a run: publishes its snapshots, all of them in one transaction, or holds them and leaves what is served alone.
 */
export class PublishRun {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly publication: PublicationStore,
    private readonly audit: ChangeAudit,
  ) {}

  /** @throws LeaseLost when another worker has taken the run over; nothing was changed then. */
  async run(concluded: ConcludedRun): Promise<RunState> {
    const { lease, run, feed, snapshots, report, columnMaps } = concluded;
    return this.unitOfWork.withTenant(lease.organizationId, async (tx) => {
      await this.publication.lock(tx);
      const rooftopIds = snapshots.map((s) => s.rooftopId);
      const { state, holdReasons } = decide(concluded, await this.publication.served(tx, rooftopIds));
      await this.publication.conclude(tx, lease, {
        state,
        report,
        holdReasons,
        columnMaps,
        releasable: snapshots.length > 0,
      });
      if (state === 'published') {
        await this.publication.switchTo(tx, run, snapshots);
        await this.publication.announce(tx);
      }
      await this.audit.record(tx, systemOrigin('feed-import'), {
        operation: `feeds.run_${state}`,
        rooftopIds,
        resourceIds: [feed.feedId, run.runId],
        ...(holdReasons[0] === undefined ? {} : { reason: holdReasons[0] }),
      });
      return state;
    });
  }

  /** Gives a run up: it failed too often for reasons that are not in its file. */
  async fail(lease: RunLease, feedId: string, reason: string): Promise<void> {
    await this.unitOfWork.withTenant(lease.organizationId, async (tx) => {
      await this.publication.conclude(tx, lease, {
        state: 'failed',
        report: { reason },
        holdReasons: [reason],
        columnMaps: [],
        releasable: false,
      });
      await this.audit.record(tx, systemOrigin('feed-import'), {
        operation: 'feeds.run_failed',
        resourceIds: [feedId, lease.runId],
        reason,
      });
    });
  }
}

/** A file that arrived before the one being served never replaces it, whatever else is wrong with it. */
function decide({ run, feed, holdReasons }: ConcludedRun, served: readonly ServedRooftop[]): Decision {
  if (served.some((rooftop) => rooftop.receivedAt > run.receivedAt)) return { state: 'superseded', holdReasons: [] };
  const foreign = served.some((rooftop) => rooftop.feedId !== feed.feedId && rooftop.feedEnabled);
  const reasons = foreign ? [...holdReasons, 'rooftop_served_by_other_feed'] : holdReasons;
  return { state: reasons.length === 0 ? 'published' : 'held', holdReasons: reasons };
}
