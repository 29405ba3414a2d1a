import type { JournalEntry } from '../../../kernel/ports/restore-journal.js';
import type { PendingEntry } from './entries-to-replay.js';

type Erasure = Extract<JournalEntry, { kind: 'erasure' }>;
/** An entry that the database does again by itself. */
export type PlainEntry = Exclude<JournalEntry, { kind: 'erasure' }>;
type Pending<E extends JournalEntry> = PendingEntry & { readonly entry: E };

/** Entries of one organization that are done again in one transaction; an erasure has one for itself. */
export type ReplayBatch =
  | { readonly organizationId: string; readonly erasure: Pending<Erasure> }
  | { readonly organizationId: string; readonly entries: readonly Pending<PlainEntry>[]; readonly erasure?: undefined };

/**
 * Cuts what is to be done again into transactions. Within an organization the order stays; organizations know nothing of each other,
 * so that of theirs is left out: a day on which two of them worked in turns would else make a transaction of every entry.
 * @param most entries of a transaction
 */
export function replayBatches(pending: readonly PendingEntry[], most: number): readonly ReplayBatch[] {
  const batches: ReplayBatch[] = [];
  for (const [organizationId, own] of byOrganization(pending)) {
    let open: Pending<PlainEntry>[] = [];
    for (const one of own) {
      if (isErasure(one)) {
        batches.push({ organizationId, erasure: one });
        open = [];
        continue;
      }
      if (open.length === 0 || open.length === most) batches.push({ organizationId, entries: (open = []) });
      open.push(one as Pending<PlainEntry>);
    }
  }
  return batches;
}

const isErasure = (one: PendingEntry): one is Pending<Erasure> => one.entry.kind === 'erasure';

function byOrganization(pending: readonly PendingEntry[]): ReadonlyMap<string, readonly PendingEntry[]> {
  const groups = new Map<string, PendingEntry[]>();
  for (const one of pending) {
    const { organizationId } = one.entry;
    const group = groups.get(organizationId);
    if (group === undefined) groups.set(organizationId, [one]);
    else group.push(one);
  }
  return groups;
}
