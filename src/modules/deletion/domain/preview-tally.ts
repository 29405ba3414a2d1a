import type { PartPreview } from './run-preview.js';

/** What a slice says; the port's `Slice` is one. */
interface Counted {
  readonly hashes: Uint8Array;
  readonly heldAt: readonly number[];
  readonly usedAt: readonly number[];
  readonly rooftops: Readonly<Record<string, number>>;
  readonly holds: Readonly<Record<string, number>>;
  readonly first: string | null;
  readonly last: string | null;
}

/** Which counts: a table, under one action of its category. */
export type PartOfRun = Pick<PartPreview, 'category' | 'action' | 'part'>;
const keyOf = ({ category, action, part }: PartOfRun): string => `${category}/${part}/${action}`;

type Growing = { -readonly [K in keyof PartPreview]: PartPreview[K] };

/** Adds slices up, part by part, in the order in which they come. */
export class PreviewTally {
  private readonly growing = new Map<string, Growing>();

  /** A part, with how many records it has. Parts of which nothing is over are in the preview as well. */
  begin(of: PartOfRun, records: number): void {
    const nothing = { over: 0, going: 0, held: 0, inUse: 0, rooftops: {}, holds: {}, first: null, last: null };
    this.growing.set(keyOf(of), { ...of, records, ...nothing });
  }

  add(of: PartOfRun, slice: Counted): void {
    const sum = this.growing.get(keyOf(of));
    if (sum === undefined) throw new Error(`a slice of ${of.part}, which is no part of ${of.category}`);
    const over = slice.hashes.length / 32;
    sum.over += over;
    sum.held += slice.heldAt.length;
    sum.inUse += slice.usedAt.length;
    sum.going += over - slice.heldAt.length - slice.usedAt.length;
    sum.rooftops = added(sum.rooftops, slice.rooftops);
    sum.holds = added(sum.holds, slice.holds);
    sum.first ??= slice.first;
    sum.last = slice.last ?? sum.last;
  }

  parts(): readonly PartPreview[] {
    return [...this.growing.values()];
  }
}

/** Sums of numbers by name. */
export function added(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sums = new Map(Object.entries(a));
  for (const [name, count] of Object.entries(b)) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}
