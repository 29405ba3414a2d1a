import { ulid } from 'ulid';
import { LIMITS } from '../../../kernel/limits.js';
import type { JournalledRevocation, RevocationJournal } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { OwedRevocations } from './owed-revocations.js';
import type { WriteJournal } from './write-journal.js';

const AT_ONCE = 100;

/**
 * Revocations take effect first: one whose entry cannot be written is owed to the journal, in the transaction of the revocation
 * itself, and written when the journal is back (decision record 0048).
 */
export class JournalRevocations implements RevocationJournal {
  constructor(
    private readonly parts: {
      readonly journal: WriteJournal;
      readonly owed: OwedRevocations;
      readonly unitOfWork: UnitOfWork;
      readonly log: { log(message: string): void; error(message: string): void };
    },
  ) {}

  async note(tx: TenantTransaction, revocation: JournalledRevocation): Promise<void> {
    const { journal, owed, log } = this.parts;
    const entry = { kind: 'revocation', organizationId: tx.organizationId, content: revocation } as const;
    try {
      await journal.appendWithin(LIMITS.journalRevocationWaitMs.value, entry, tx);
    } catch (error) {
      log.error(`a revocation took effect and is owed to the restore journal: ${reasonOf(error)}`);
      await owed.owe(tx, ulid(), revocation);
    }
  }

  /** Writes what is owed. Run every few seconds. @throws Failure while the journal is away. */
  async settle(): Promise<void> {
    const { journal, owed, unitOfWork, log } = this.parts;
    const oldest = await owed.oldest(AT_ONCE);
    for (const { organizationId, owedId, revocation } of oldest)
      await unitOfWork.withTenant(organizationId, async (tx) => {
        if (await owed.settle(tx, owedId))
          await journal.append({ kind: 'revocation', organizationId, content: revocation }, tx);
      });
    if (oldest.length > 0) log.log(`${oldest.length} revocations that were owed are in the restore journal`);
  }
}

/** The reason of a failure and what lies under it: paths and error codes, nothing of callers. */
function reasonOf(error: unknown): string {
  const { context, cause } = error as { context?: { auditReason?: string }; cause?: unknown };
  const below = cause instanceof Error ? `: ${cause.message}` : '';
  return `${context?.auditReason ?? String(error)}${below}`;
}
