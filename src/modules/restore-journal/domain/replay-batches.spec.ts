import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PendingEntry } from './entries-to-replay.js';
import { replayBatches } from './replay-batches.js';

const content = { what: 'key', id: 'k', revokedAt: '2026-11-30T10:00:00.000Z' } as const;
const erased = { subjectHashes: ['00'], ground: 'g', erasedAt: '2026-11-30T10:00:00.000Z' } as const;
const pendingOf = (drawn: readonly { readonly organizationId: string; readonly erases: boolean }[]): PendingEntry[] =>
  drawn.map(({ organizationId, erases }, i) => ({
    ...{ segmentId: 's', seq: i + 1, hash: 'h' },
    entry: erases
      ? { kind: 'erasure', organizationId, requestId: 'r', content: erased }
      : { kind: 'revocation', organizationId, content },
  }));

describe('the transactions of a replay', () => {
  const drawn = fc.array(fc.record({ organizationId: fc.constantFrom('a', 'b', 'c'), erases: fc.boolean() }));

  it('hold every entry once, in the order of its organization, at most so many, and erasures alone', () => {
    fc.assert(
      fc.property(drawn.map(pendingOf), fc.integer({ min: 1, max: 5 }), (pending, most) => {
        const batches = replayBatches(pending, most);
        const entriesOf = (id: string): PendingEntry[] =>
          batches
            .filter(({ organizationId }) => organizationId === id)
            .flatMap((batch): readonly PendingEntry[] =>
              batch.erasure === undefined ? batch.entries : [batch.erasure],
            );
        for (const id of ['a', 'b', 'c'])
          expect(entriesOf(id)).toEqual(pending.filter(({ entry }) => entry.organizationId === id));
        for (const batch of batches)
          if (batch.erasure === undefined) {
            expect(batch.entries.length).toBeGreaterThan(0);
            expect(batch.entries.length).toBeLessThanOrEqual(most);
            expect(batch.entries.filter(({ entry }) => entry.organizationId !== batch.organizationId)).toEqual([]);
          }
      }),
    );
  });

  it('are as few as that allows: organizations that worked in turns do not cut each other up', () => {
    const turns = Array.from({ length: 100 }, (_, i) => ({ organizationId: i % 2 ? 'a' : 'b', erases: false }));
    expect(replayBatches(pendingOf(turns), 25)).toHaveLength(4);
  });
});
