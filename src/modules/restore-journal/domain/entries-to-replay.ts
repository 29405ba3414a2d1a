import type { JournalEntry } from '../../../kernel/ports/restore-journal.js';
import type { ReadEntry } from './read-segment.js';

export interface PendingEntry {
  readonly segmentId: string;
  readonly seq: number;
  readonly hash: string;
  readonly entry: JournalEntry;
}

export interface ReplayPlan {
  /** In the order in which they happened. */
  readonly pending: readonly PendingEntry[];
  /** Releases whose transaction is not known to have committed: their holds stay. */
  readonly unconfirmed: number;
  /** Entries about persons that a later one took back or repeats. */
  readonly lifted: number;
}

/**
 * What is to be done again: everything that the database does not hold, without releases that nobody confirmed and without
 * what was taken back later.
 * @param known places that are in the database, as `segment/seq`
 */
export function entriesToReplay(read: readonly ReadEntry[], known: ReadonlySet<string>): ReplayPlan {
  const inOrder = read.toSorted(
    (a, b) => compare(a.record.at, b.record.at) || compare(a.segmentId, b.segmentId) || a.seq - b.seq,
  );
  const confirmed = new Set<string>();
  const newest = new Map<string, ReadEntry>();
  for (const one of inOrder) {
    const { entry } = one.record;
    if (entry.kind === 'confirmed') confirmed.add(placeOf(entry));
    if (entry.kind === 'revocation' && entry.content.what === 'person') newest.set(personOf(entry), one);
  }
  const pending: PendingEntry[] = [];
  let [unconfirmed, lifted] = [0, 0];
  for (const one of inOrder) {
    const { segmentId, seq, hash, record } = one;
    const { entry } = record;
    if (entry.kind === 'confirmed' || known.has(placeOf(one))) continue;
    if (entry.kind === 'hold.released' && !confirmed.has(placeOf(one))) unconfirmed += 1;
    else if (isTakenBack(one, newest)) lifted += 1;
    else pending.push({ segmentId, seq, hash, entry });
  }
  return { pending, unconfirmed, lifted };
}

export const placeOf = ({ segmentId, seq }: { readonly segmentId: string; readonly seq: number }): string =>
  `${segmentId}/${seq}`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const personOf = (entry: {
  readonly organizationId: string;
  readonly content: { readonly what: string; readonly id: string };
}): string => `${entry.organizationId}/${entry.content.what}/${entry.content.id}`;
/** Of a person only the newest entry counts, and that only when it does not enable them. */
function isTakenBack(one: ReadEntry, newest: ReadonlyMap<string, ReadEntry>): boolean {
  const { entry } = one.record;
  if (entry.kind !== 'revocation' || entry.content.what !== 'person') return false;
  return entry.content.lifted === true || newest.get(personOf(entry)) !== one;
}
