import { setImmediate as otherWork } from 'node:timers/promises';
import type { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';

type Prisma = ReturnType<typeof prismaOf>;

/** Pages that the database lists while the tree takes in those before: about 20 ms on either side. */
const PAGES = 16;

interface ListedPage {
  /** Records on all pages; one more than was asked for where there are more. */
  readonly total: number;
  readonly records: number;
  readonly leaves: Uint8Array;
}

/**
 * Has everything listed that a hold covers. The database is one step ahead: it lists pages while `take` works on those before.
 * @returns false when there are more than `most` records, or it has taken longer than `withinMs` by now
 */
export async function listPages(
  prisma: Prisma,
  holdId: string,
  { most, withinMs }: { readonly most: number; readonly withinMs: number },
  take: (leaves: Uint8Array) => void,
): Promise<boolean> {
  const started = performance.now();
  let asked = nextPages(prisma, holdId, most);
  for (let left = Infinity; left > 0;) {
    const pages = await asked;
    if (left === Infinity) left = pages[0]?.total ?? 0;
    else if (pages.length === 0) throw new Error('the database listed less than it had found');
    if (left > most || performance.now() - started > withinMs) return false;
    for (const { records } of pages) left -= records;
    if (left > 0) asked = nextPages(prisma, holdId, null);
    await otherWork(); // the question leaves before the hashing begins
    for (const { leaves } of pages) take(leaves);
  }
  return true;
}

/** @param most with the first question only */
function nextPages(prisma: Prisma, holdId: string, most: number | null): Promise<readonly ListedPage[]> {
  const asked = Promise.resolve(prisma.$queryRaw<ListedPage[]>`
    SELECT total::float8 AS total, records, leaves FROM next_hold_pages(${holdId}, ${PAGES}::integer, ${most}::bigint)`);
  asked.catch(() => undefined); // it is waited for later
  return asked;
}
