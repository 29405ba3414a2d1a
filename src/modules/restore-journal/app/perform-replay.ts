import type { ErasureReplay, JournalEntry, ReplayOutcome } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { TransactionalAudit } from '../../audit/index.js';
import type { PendingEntry } from '../domain/entries-to-replay.js';
import { type ReplayBatch, replayBatches } from '../domain/replay-batches.js';
import type { JournalMarks } from './journal-marks.js';
import { auditReplay } from './replay-audit.js';
import type { EntryReplay } from './replay-entry.js';
import { RestoreRefusal } from './restore-refusal.js';

export interface PerformReplayParts {
  readonly marks: JournalMarks;
  readonly entries: EntryReplay;
  /** Undefined where nothing erases. */
  readonly erasures: () => ErasureReplay | undefined;
  /** Counts what holds cover that are not counted yet: no erasure may begin before (decision 22). */
  readonly countHolds: () => Promise<void>;
  readonly unitOfWork: UnitOfWork;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
}

/** What was done, by kind of entry. */
export type Outcomes = Record<JournalEntry['kind'], Record<ReplayOutcome, number>>;

/** Entries done again in one transaction: what a crash may have to do once more, and five statements for all of them. */
const ENTRIES_AT_ONCE = 200;

/** Does entries again, or tries it. Each batch with its audit records and the notes that it is done: going on does nothing twice. */
export class PerformReplay {
  constructor(private readonly parts: PerformReplayParts) {}

  /** @throws RestoreRefusal where erasures cannot be done; an error of the database, from where the next call goes on */
  async perform(pending: readonly PendingEntry[]): Promise<Outcomes> {
    const outcomes = noOutcomes();
    let counted = false; // a replay that was interrupted may have placed holds and not counted them
    // Known from now on, and as not reached: until all is done the service does not open.
    for (const segmentId of new Set(pending.map((one) => one.segmentId))) await this.parts.marks.promise(segmentId, 0);
    for (const batch of replayBatches(pending, ENTRIES_AT_ONCE)) {
      if (batch.erasure !== undefined && !counted) {
        await this.parts.countHolds();
        counted = true;
      }
      const done = await this.parts.unitOfWork.withTenant(batch.organizationId, (tx) => this.commit(tx, batch));
      for (const { entry, outcome } of done) {
        outcomes[entry.kind][outcome] += 1;
        if (entry.kind === 'hold.placed' && outcome === 'replayed') counted = false;
      }
    }
    return outcomes;
  }

  /** One transaction for each organization, so that an entry sees what those before it would have done, and rolled back. */
  async rehearse(pending: readonly PendingEntry[]): Promise<Outcomes> {
    const outcomes = noOutcomes();
    const batches = replayBatches(pending, ENTRIES_AT_ONCE);
    for (const organizationId of new Set(batches.map((batch) => batch.organizationId))) {
      const rehearsal = this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
        for (const batch of batches.filter((one) => one.organizationId === organizationId))
          // Erasures cannot be tried before the holds are counted, which needs a commit.
          if (batch.erasure !== undefined) outcomes.erasure.replayed += 1;
          else for (const { entry, outcome } of await this.replay(tx, batch)) outcomes[entry.kind][outcome] += 1;
        throw new Rehearsed();
      });
      await rehearsal.catch((error: unknown) => {
        if (!(error instanceof Rehearsed)) throw error;
      });
    }
    return outcomes;
  }

  private async commit(tx: TenantTransaction, batch: ReplayBatch): Promise<readonly Done[]> {
    const { marks, audit, clock } = this.parts;
    const done = await this.replay(tx, batch);
    await marks.note(done, tx);
    const records = done
      .filter(({ outcome }) => outcome === 'replayed')
      .map(({ entry }) => auditReplay(entry, clock.now()));
    if (isFilled(records)) await audit.recordInTransaction(tx, ...records);
    return done;
  }

  private async replay(tx: TenantTransaction, batch: ReplayBatch): Promise<readonly Done[]> {
    if (batch.erasure === undefined) {
      const outcomes = await this.parts.entries.replay(
        tx,
        batch.entries.map(({ entry }) => entry),
      );
      return batch.entries.map((one, i) => ({ ...one, outcome: outcomes[i] ?? 'absent' }));
    }
    const erasures = this.parts.erasures();
    if (erasures === undefined)
      throw new RestoreRefusal('the journal has erasures, and nothing here can do them again');
    const { requestId, content } = batch.erasure.entry;
    return [{ ...batch.erasure, outcome: await erasures.eraseAgain(tx, requestId, content) }];
  }
}

type Done = PendingEntry & { readonly outcome: ReplayOutcome };

class Rehearsed extends Error {}

const noOutcome = (): Record<ReplayOutcome, number> => ({ replayed: 0, present: 0, absent: 0 });
const noOutcomes = (): Outcomes => ({
  'hold.placed': noOutcome(),
  'hold.released': noOutcome(),
  erasure: noOutcome(),
  revocation: noOutcome(),
});

const isFilled = <T>(list: T[]): list is [T, ...T[]] => list.length > 0;
