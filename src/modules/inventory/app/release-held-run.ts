import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../kernel/precondition.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { ChangeAudit, ChangeOrigin } from './change-audit.js';
import { type FeedRun, versionOfRun } from './feed-run.js';
import type { FeedRunStore } from './feed-run-store.js';
import type { BuiltSnapshot } from './import-staging.js';
import type { PublicationStore } from './publication-store.js';

/** Staff publishes a held run as it was built: its guards are waived by a person whose key is on record. */
export class ReleaseHeldRun {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly runs: FeedRunStore,
    private readonly publication: PublicationStore,
    private readonly audit: ChangeAudit,
  ) {}

  /**
   * @throws Failure `input.precondition` for another state of the run than the one that was looked at, `resource.not_found`; `state.conflict` when the run is not held, a newer file of the feed has come, or
   *   the file could not be read, so that there is nothing to publish.
   */
  async run(
    organizationId: string,
    runId: string,
    expectedVersions: ExpectedVersions,
    origin: ChangeOrigin,
  ): Promise<FeedRun> {
    const expected = requireVersions(expectedVersions);
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.publication.lock(tx);
      const run = await this.runs.find(tx, runId);
      if (run === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      requireVersion(expected, versionOfRun(run));
      const snapshots = await this.requirePublishable(tx, run);
      if (!(await this.publication.concludeRelease(tx, runId, origin.actor))) throw conflict('not_held');
      await this.publication.switchTo(tx, run, snapshots);
      await this.publication.announce(tx);
      const rooftopIds = snapshots.map((s) => s.rooftopId);
      const released: FeedRun = { ...run, state: 'published' };
      await this.audit.record(tx, origin, {
        operation: 'feeds.release',
        rooftopIds,
        resourceIds: [run.feedId, runId],
        reason: 'guards_waived',
        hashes: changeHashes(run, released),
      });
      return released;
    });
  }

  private async requirePublishable(tx: TenantTransaction, run: FeedRun): Promise<readonly BuiltSnapshot[]> {
    if (run.state !== 'held') throw conflict('not_held');
    const newest = await this.runs.findNewest(tx, run.feedId);
    if (newest?.runId !== run.runId) throw conflict('newer_run');
    const snapshots = await this.publication.heldSnapshots(tx, run.runId);
    if (snapshots.length === 0) throw conflict('nothing_built');
    const served = await this.publication.served(
      tx,
      snapshots.map((s) => s.rooftopId),
    );
    if (served.some((rooftop) => rooftop.receivedAt > run.receivedAt)) throw conflict('newer_served');
    return snapshots;
  }
}

function conflict(auditReason: string): Failure {
  return new Failure('state.conflict', { auditReason });
}
