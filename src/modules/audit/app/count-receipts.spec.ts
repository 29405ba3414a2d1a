import { expect, it } from 'vitest';
import { countReceipts, type CountPiece } from './count-receipts.js';

const PERIOD = { rooftopId: 'roof.a', from: '2026-01-01T12:00:00.000001Z', to: '2026-03-31T12:00:00Z' };

/** A rooftop with as many calls on every day. @returns the pieces it was asked for, and how it answers */
function counting(calls: number): { readonly pieces: string[]; readonly count: CountPiece } {
  const pieces: string[] = [];
  const count: CountPiece = ({ from, to }, { limit }) => {
    pieces.push(`${from}/${to}`);
    const days = Math.ceil((Date.parse(to) - Date.parse(from.slice(0, 10))) / 86_400_000);
    const line = (day: number): string => new Date(Date.parse(from) + day * 86_400_000).toISOString().slice(0, 10);
    const lines = Array.from({ length: days }, (_, i) => ({
      day: line(i),
      operation: 'a',
      outcome: 'succeeded',
      calls,
    }));
    return Promise.resolve(calls === 0 ? [] : lines.slice(0, limit));
  };
  return { pieces, count };
}

it('asks for whole days, and for the ends of the period as they were given', async () => {
  const { pieces, count } = counting(0);
  expect(await countReceipts(count, PERIOD, { limit: 10 }, 100)).toEqual({ lines: [] });
  expect(pieces[0]).toBe('2026-01-01T12:00:00.000001Z/2026-01-02T00:00:00.000Z');
  expect(pieces[1]).toBe('2026-01-02T00:00:00.000Z/2026-01-06T00:00:00.000Z');
  expect(pieces.at(-1)).toMatch(/\/2026-03-31T12:00:00Z$/);
  expect(pieces.length).toBeLessThan(6);
});

it('ends behind the day with which enough was counted, and says so', async () => {
  const { pieces, count } = counting(40);
  const page = await countReceipts(count, PERIOD, { limit: 1000 }, 100);
  expect(page.countedTo).toBe('2026-01-04T00:00:00.000Z');
  expect(page.lines.map(({ day }) => day)).toEqual(['2026-01-01', '2026-01-02', '2026-01-03']);
  expect(pieces).toHaveLength(3);
});

it('asks no further than its page, and goes on with the day where the one before ended', async () => {
  const { pieces, count } = counting(1);
  const after = { day: '2026-02-01', operation: 'a', outcome: 'denied' };
  expect((await countReceipts(count, PERIOD, { after, limit: 3 }, 100)).lines).toHaveLength(3);
  expect(pieces).toEqual([
    '2026-02-01T00:00:00.000Z/2026-02-02T00:00:00.000Z',
    '2026-02-02T00:00:00.000Z/2026-02-06T00:00:00.000Z',
  ]);
});

it('divides no day, however many calls it has', async () => {
  const { count } = counting(5000);
  expect(await countReceipts(count, PERIOD, { limit: 10 }, 100)).toMatchObject({
    lines: [{ calls: 5000 }],
    countedTo: '2026-01-02T00:00:00.000Z',
  });
});
