import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { listPages } from './list-pages.js';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** A database that lists these numbers of records, one question after the other, each after a moment. */
function database(answers: readonly number[], momentMs = 0, total = sum(answers)): Parameters<typeof listPages>[0] {
  const left = [...answers];
  const answer = async (): Promise<unknown> => {
    const records = left.shift();
    await delay(momentMs);
    return records === undefined ? [] : [{ total, records, leaves: new Uint8Array(records) }];
  };
  return { $queryRaw: answer } as unknown as Parameters<typeof listPages>[0];
}

async function list(
  prisma: Parameters<typeof listPages>[0],
  limits = { most: 100, withinMs: 60_000 },
): Promise<{ listed: boolean; taken: number[] }> {
  const taken: number[] = [];
  const listed = await listPages(prisma, 'hold.a', limits, (leaves) => taken.push(leaves.length));
  return { listed, taken };
}

describe('A list of a hold', () => {
  it('is taken to its end, in its order', async () => {
    expect(await list(database([50, 49, 1]))).toEqual({ listed: true, taken: [50, 49, 1] });
    expect(await list(database([]))).toEqual({ listed: true, taken: [] });
  });

  it('is not made where there are more than may be listed at once', async () => {
    expect(await list(database([50, 51]))).toEqual({ listed: false, taken: [] });
  });

  it('is given up where all its parts together take too long, though none of them does', async () => {
    const parts = Array.from({ length: 90 }, () => 1);
    expect((await list(database(parts, 5), { most: 100, withinMs: 50 })).listed).toBe(false);
  });

  it('that ends before its end is an error', async () => {
    await expect(list(database([3], 0, 4))).rejects.toThrow('listed less');
  });
});
