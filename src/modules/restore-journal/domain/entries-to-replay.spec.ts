import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../kernel/ports/restore-journal.js';
import { entriesToReplay } from './entries-to-replay.js';
import type { Confirmation } from './journal-line.js';
import type { ReadEntry } from './read-segment.js';

const NOTHING: ReadonlySet<string> = new Set();

function read(segmentId: string, seq: number, at: string, entry: JournalEntry | Confirmation): ReadEntry {
  return { segmentId, seq, hash: `${segmentId}${seq}`, record: { at, entry } };
}
const revoked = (what: 'key' | 'person', id: string, lifted = false): JournalEntry => ({
  kind: 'revocation',
  organizationId: 'group-a',
  content: { what, id, revokedAt: '2026-11-30T00:00:00.000Z', ...(lifted ? { lifted: true } : {}) },
});
const released: JournalEntry = {
  kind: 'hold.released',
  organizationId: 'group-a',
  holdId: 'hold.1',
  content: {
    releasedBy: 'p',
    releaseReason: 'r',
    releasedAt: '2026-11-30T00:00:00.000Z',
    freeFrom: '2026-12-03T00:00:00.000Z',
  },
};

it('goes over all segments in the order of time, and leaves out what the database holds', () => {
  const entries = [
    read('A', 1, '2026-11-30T00:00:02.000Z', revoked('key', 'second')),
    read('A', 2, '2026-11-30T00:00:03.000Z', revoked('key', 'known')),
    read('B', 1, '2026-11-30T00:00:01.000Z', revoked('key', 'first')),
  ];
  const { pending } = entriesToReplay(entries, new Set(['A/2']));
  expect(pending.map(({ segmentId, seq }) => `${segmentId}/${seq}`)).toEqual(['B/1', 'A/1']);
});

it('replays a release only when its commit was confirmed', () => {
  const release = read('A', 1, '2026-11-30T00:00:01.000Z', released);
  expect(entriesToReplay([release], NOTHING)).toMatchObject({ pending: [], unconfirmed: 1 });
  const confirmation = read('B', 7, '2026-11-30T00:00:02.000Z', { kind: 'confirmed', segmentId: 'A', seq: 1 });
  expect(entriesToReplay([release, confirmation], NOTHING)).toMatchObject({ pending: [{ seq: 1 }], unconfirmed: 0 });
});

it('does not disable a person who was enabled again, unless disabled once more', () => {
  const off = read('A', 1, '2026-11-30T00:00:01.000Z', revoked('person', 'p'));
  const on = read('A', 2, '2026-11-30T00:00:02.000Z', revoked('person', 'p', true));
  const offAgain = read('A', 3, '2026-11-30T00:00:03.000Z', revoked('person', 'p'));
  expect(entriesToReplay([off, on], NOTHING)).toMatchObject({ pending: [], lifted: 2 });
  const { pending } = entriesToReplay([off, on, offAgain], NOTHING);
  expect(pending.map(({ seq }) => seq)).toEqual([3]);
});
