import { TILE_WIDTH } from '../domain/log/tiles.js';

/** Rows that are read and checked together. */
export const ROWS_AT_ONCE = TILE_WIDTH * 16;
/** Stretches that are read while one is checked: the database then works on a core of its own and half of another. */
const AHEAD = 2;

/** Indexes as of a slice. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

export interface Stretch<Found> extends Part {
  readonly found: Found;
}

/** Reads a part stretch by stretch, in order, and the next ones while one is used. Memory is that of three stretches. */
export async function* readAhead<Found>(
  part: Part,
  read: (from: number, count: number) => Promise<Found>,
): AsyncGenerator<Stretch<Found>, void> {
  const reading: Promise<Stretch<Found>>[] = [];
  let next = part.from;
  const begin = (): void => {
    if (next >= part.to) return;
    const [from, to] = [next, Math.min(next + ROWS_AT_ONCE, part.to)];
    next = to;
    const stretch = read(from, to - from).then((found) => ({ from, to, found }));
    stretch.catch(() => undefined); // it fails where it is awaited
    reading.push(stretch);
  };
  try {
    for (let i = 0; i <= AHEAD; i++) begin();
    for (let first = reading.shift(); first !== undefined; first = reading.shift()) {
      const stretch = await first;
      begin();
      yield stretch;
    }
  } finally {
    await Promise.allSettled(reading);
  }
}
