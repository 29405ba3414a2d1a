import { newRequestId, PLATFORM_TENANT, traceIdOfRequest } from '../../../kernel/ids.js';
import type { JournalEntry, ReplayOutcome } from '../../../kernel/ports/restore-journal.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { TransactionalAudit } from '../../audit/index.js';
import type { JournalFinding } from '../domain/compare-marks.js';
import type { KeptStatement, StatementFinding } from '../domain/compare-statements.js';
import { entriesToReplay, placeOf } from '../domain/entries-to-replay.js';
import type { JournalKey } from '../domain/journal-key.js';
import { readSegment, type SegmentDamage, type SegmentReading } from '../domain/read-segment.js';
import type { AuditHorizon, CheckJournal } from './check-journal.js';
import type { JournalMarks } from './journal-marks.js';
import type { JournalStorage } from './journal-storage.js';
import type { PerformReplay } from './perform-replay.js';
import { auditReplay } from './replay-audit.js';
import { RestoreRefusal, statementRefusal } from './restore-refusal.js';

export interface ReplayJournalParts {
  readonly storage: JournalStorage | undefined;
  readonly keys: readonly JournalKey[];
  readonly marks: JournalMarks;
  readonly check: CheckJournal;
  readonly horizon: AuditHorizon;
  readonly performing: PerformReplay;
  readonly unitOfWork: UnitOfWork;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
}

export interface ReplayOptions {
  /** Says what would be done, and changes nothing. */
  readonly dryRun: boolean;
  /** Statements beside those that are looked at at every start: the journal must not be older than any of them. */
  readonly kept?: readonly KeptStatement[];
}

export interface ReplayReport {
  /** Entries in the journal, and how many of them the database held. */
  readonly entries: number;
  readonly known: number;
  /** What was done, by kind of entry; in a dry run what would be. */
  readonly outcomes: Readonly<Record<JournalEntry['kind'], Readonly<Record<ReplayOutcome, number>>>>;
  /** Releases without the mark that they committed: their holds stay, and can be released again. */
  readonly unconfirmedReleases: number;
  readonly liftedRevocations: number;
  /** Segments whose end was being written when their process died. Nobody was answered for it. */
  readonly torn: readonly string[];
  readonly findings: readonly JournalFinding[];
  readonly statements: readonly StatementFinding[];
  readonly damage: readonly { readonly segmentId: string; readonly kind: SegmentDamage; readonly line: number }[];
  /** Records of the trail that got their number because the horizon was put back; undefined where it was in order. */
  readonly renumbered: number | undefined;
}

/**
 * Use case: does again what a restored database has forgotten. Every transaction has the audit
 * records and the notes of what it did: repeating it, or going on after a crash, does nothing twice.
 */
export class ReplayJournal {
  constructor(private readonly parts: ReplayJournalParts) {}

  /**
   * @throws RestoreRefusal when the journal is older than a statement, or damaged and nobody has accepted it, or erasures cannot be
   *   done; an error of the database, from where it goes on when it is run again.
   */
  async run({ dryRun, kept = [] }: ReplayOptions): Promise<ReplayReport> {
    const { marks, check, horizon, performing } = this.parts;
    const { findings, foreignHorizon, statements } = await check.run(kept);
    const stated = statementRefusal(statements);
    if (!dryRun && stated !== undefined) throw stated;
    const segments = await this.read();
    const lost = new Set((await marks.read()).filter((mark) => mark.lost).map((mark) => mark.segmentId));
    const damage = segments.flatMap(({ segmentId, damage }) =>
      damage === undefined ? [] : [{ segmentId, ...damage }],
    );
    const problems = findings.filter(({ problem }) => problem !== 'database_older');
    if (!dryRun && (problems.length > 0 || damage.some(({ segmentId }) => !lost.has(segmentId))))
      throw damaged([...problems, ...damage].map(({ segmentId }) => segmentId));
    const read = segments.flatMap((segment) => segment.entries);
    const known = new Set((await marks.entries()).map(placeOf));
    const { pending, unconfirmed, lifted } = entriesToReplay(read, known);
    const outcomes = await (dryRun ? performing.rehearse(pending) : performing.perform(pending));
    const renumbered = foreignHorizon && !dryRun ? await horizon.reset() : undefined;
    const entries = read.filter(({ record }) => record.entry.kind !== 'confirmed');
    const report: ReplayReport = {
      entries: entries.length,
      known: entries.filter((one) => known.has(placeOf(one))).length,
      outcomes,
      unconfirmedReleases: unconfirmed,
      liftedRevocations: lifted,
      torn: segments.filter(({ tornBytes }) => tornBytes > 0).map(({ segmentId }) => segmentId),
      findings,
      statements,
      damage,
      renumbered,
    };
    if (!dryRun) await this.conclude(segments, report);
    return report;
  }

  private async read(): Promise<readonly SegmentReading[]> {
    const { storage, keys } = this.parts;
    const readings: SegmentReading[] = [];
    if (storage === undefined) return readings;
    for (const segmentId of await storage.list())
      readings.push(readSegment(segmentId, await storage.read(segmentId), keys));
    return readings;
  }

  /** From now on the journal counts as known, and the platform's trail says what was done. */
  private async conclude(segments: readonly SegmentReading[], report: ReplayReport): Promise<void> {
    const { marks, audit, unitOfWork, clock } = this.parts;
    await marks.settle(segments.map(({ segmentId, head }) => ({ segmentId, ...head })));
    const eventId = newRequestId();
    const counts = Object.entries(report.outcomes).map(([kind, counted]) => `${kind}/${counted.replayed}`);
    await unitOfWork.withTenant(PLATFORM_TENANT, (tx) =>
      audit.recordInTransaction(tx, {
        ...auditReplay(undefined, clock.now()),
        eventId,
        traceId: traceIdOfRequest(eventId),
        resourceIds: [`entries/${report.entries}`, ...counts],
      }),
    );
  }
}

const damaged = (segmentIds: readonly string[]): RestoreRefusal =>
  new RestoreRefusal(
    `the restore journal is damaged (${[...new Set(segmentIds)].join(', ')}). Put it back; if it is really lost: forecourt restore accept-loss --reason TEXT`,
  );
