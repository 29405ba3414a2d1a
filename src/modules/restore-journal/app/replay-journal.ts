import { newRequestId, PLATFORM_TENANT, traceIdOfRequest } from '../../../kernel/ids.js';
import type { ErasureReplay, JournalEntry, ReplayOutcome } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { TransactionalAudit } from '../../audit/index.js';
import type { JournalFinding } from '../domain/compare-marks.js';
import { entriesToReplay, type PendingEntry, placeOf } from '../domain/entries-to-replay.js';
import type { JournalKey } from '../domain/journal-key.js';
import { readSegment, type SegmentDamage, type SegmentReading } from '../domain/read-segment.js';
import type { AuditHorizon, CheckJournal } from './check-journal.js';
import type { JournalMarks } from './journal-marks.js';
import type { JournalStorage } from './journal-storage.js';
import { auditReplay } from './replay-audit.js';
import type { EntryReplay } from './replay-entry.js';
import { RestoreRefusal } from './restore-refusal.js';

export interface ReplayJournalParts {
  readonly storage: JournalStorage | undefined;
  readonly keys: readonly JournalKey[];
  readonly marks: JournalMarks;
  readonly check: CheckJournal;
  readonly horizon: AuditHorizon;
  readonly entries: EntryReplay;
  /** Undefined where nothing erases. */
  readonly erasures: () => ErasureReplay | undefined;
  /** Counts what holds cover that are not counted yet: no erasure may begin before (decision 22). */
  readonly countHolds: () => Promise<void>;
  readonly unitOfWork: UnitOfWork;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
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
  readonly damage: readonly { readonly segmentId: string; readonly kind: SegmentDamage; readonly line: number }[];
  /** Records of the trail that got their number because the horizon was put back; undefined where it was in order. */
  readonly renumbered: number | undefined;
}

type Outcomes = Record<JournalEntry['kind'], Record<ReplayOutcome, number>>;

/**
 * Use case: does again what a restored database has forgotten. Every entry in a transaction of its own, with its audit record and
 * the note that it is done: repeating it, or going on after a crash, does nothing twice.
 */
export class ReplayJournal {
  constructor(private readonly parts: ReplayJournalParts) {}

  /**
   * @throws RestoreRefusal when the journal is damaged and nobody has accepted it, or erasures cannot be done; an error of the
   *   database, from where it goes on when it is run again.
   */
  async run({ dryRun }: { readonly dryRun: boolean }): Promise<ReplayReport> {
    const { marks, check, horizon } = this.parts;
    const { findings, foreignHorizon } = await check.run();
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
    const outcomes = await (dryRun ? this.rehearse(pending) : this.perform(pending));
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

  private async perform(pending: readonly PendingEntry[]): Promise<Outcomes> {
    const { unitOfWork, marks, audit, clock } = this.parts;
    const outcomes = noOutcomes();
    let uncounted = false;
    // Known from now on, and as not reached: until all is done the service does not open.
    for (const segmentId of new Set(pending.map((one) => one.segmentId))) await marks.promise(segmentId, 0);
    for (const one of pending) {
      if (one.entry.kind === 'erasure' && uncounted) {
        await this.parts.countHolds();
        uncounted = false;
      }
      const outcome = await unitOfWork.withTenant(one.entry.organizationId, async (tx) => {
        const outcome = await this.replay(tx, one.entry);
        await marks.note(one.segmentId, one, tx);
        if (outcome === 'replayed') await audit.recordInTransaction(tx, auditReplay(one.entry, clock.now()));
        return outcome;
      });
      outcomes[one.entry.kind][outcome] += 1;
      uncounted ||= one.entry.kind === 'hold.placed' && outcome === 'replayed';
    }
    return outcomes;
  }

  /** One transaction for each organization, so that an entry sees what those before it would have done, and rolled back. */
  private async rehearse(pending: readonly PendingEntry[]): Promise<Outcomes> {
    const outcomes = noOutcomes();
    for (const organizationId of new Set(pending.map(({ entry }) => entry.organizationId))) {
      const own = pending.filter(({ entry }) => entry.organizationId === organizationId);
      const rehearsal = this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
        for (const { entry } of own)
          // Erasures cannot be tried before the holds are counted, which needs a commit.
          outcomes[entry.kind][entry.kind === 'erasure' ? 'replayed' : await this.replay(tx, entry)] += 1;
        throw new Rehearsed();
      });
      await rehearsal.catch((error: unknown) => {
        if (!(error instanceof Rehearsed)) throw error;
      });
    }
    return outcomes;
  }

  private replay(tx: TenantTransaction, entry: JournalEntry): Promise<ReplayOutcome> {
    if (entry.kind !== 'erasure') return this.parts.entries.replay(tx, entry);
    const erasures = this.parts.erasures();
    if (erasures === undefined)
      throw new RestoreRefusal('the journal has erasures, and nothing here can do them again');
    return erasures.eraseAgain(tx, entry.requestId, entry.content);
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

class Rehearsed extends Error {}

const noOutcome = (): Record<ReplayOutcome, number> => ({ replayed: 0, present: 0, absent: 0 });
const noOutcomes = (): Outcomes => ({
  'hold.placed': noOutcome(),
  'hold.released': noOutcome(),
  erasure: noOutcome(),
  revocation: noOutcome(),
});

const damaged = (segmentIds: readonly string[]): RestoreRefusal =>
  new RestoreRefusal(
    `the restore journal is damaged (${[...new Set(segmentIds)].join(', ')}). Put it back; if it is really lost: forecourt restore accept-loss --reason TEXT`,
  );
