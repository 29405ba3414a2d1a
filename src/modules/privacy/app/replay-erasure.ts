import type {
  ErasureReplay,
  JournalledErasure,
  ReplayOutcome,
  RestoreJournal,
} from '../../../kernel/ports/restore-journal.js';
import { type DataSubject, subjectName } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { RetentionRules } from '../../retention/index.js';
import { emptyTally } from '../domain/place-tally.js';
import type { ErasureAsked } from './decide-erasure.js';
import { erasePage } from './erase-page.js';
import type { PrivacyRequestStore } from './privacy-request-store.js';
import type { SubjectRegister } from './subject-register.js';

/**
 * Erases again what a restored backup brought back (decision records 0048, 0049). The journal has hashes alone, so every subject
 * that the database knows is hashed and compared. Holds win here as well: they are replayed first.
 */
export class ReplayErasure implements ErasureReplay {
  constructor(
    private readonly register: SubjectRegister,
    private readonly store: Pick<PrivacyRequestStore, 'joinDeletions'>,
    private readonly journal: Pick<RestoreJournal, 'subjectHashes'>,
    private readonly rules: RetentionRules,
    private readonly clock: Clock,
  ) {}

  async eraseAgain(
    tx: TenantTransaction,
    requestId: string,
    { subjectHashes, erasedAt }: JournalledErasure,
  ): Promise<ReplayOutcome> {
    const subjects = await this.subjectsOf(tx, new Set(subjectHashes));
    let erased = 0;
    for (const subject of subjects) {
      const names = await this.register.namesOf(tx, subject);
      erased += await this.erase(tx, { requestId, verifiedAt: Date.parse(erasedAt), names });
    }
    return subjects.length === 0 ? 'absent' : erased === 0 ? 'present' : 'replayed';
  }

  private async subjectsOf(tx: TenantTransaction, wanted: ReadonlySet<string>): Promise<readonly DataSubject[]> {
    const found: DataSubject[] = [];
    for await (const subject of this.register.subjects(tx))
      if (this.journal.subjectHashes(tx.organizationId, subjectName(subject)).some((hash) => wanted.has(hash)))
        found.push(subject);
    return found;
  }

  private async erase(tx: TenantTransaction, asked: ErasureAsked): Promise<number> {
    await this.store.joinDeletions(tx, null);
    const rules = await this.rules.inForce(tx);
    const now = this.clock.now();
    let erased = 0;
    for (const registered of this.register.places)
      for (let after: string | undefined = ''; after !== undefined;) {
        const page: Awaited<ReturnType<typeof erasePage>> = await erasePage(
          tx,
          registered,
          emptyTally(registered.place),
          {
            ...{ asked, rules, now, after },
          },
        );
        erased += page.tally.goes;
        after = page.after;
      }
    return erased;
  }
}
