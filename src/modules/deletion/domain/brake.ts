import { LIMITS } from '../../../kernel/limits.js';
import type { PartOfRun } from './preview-tally.js';
import type { PartPreview } from './run-preview.js';

/** Why a run stops by itself. */
export const HALTS = ['share', 'median', 'clock', 'policy', 'live_set', 'preview_expired', 'failure'] as const;
export type HaltKind = (typeof HALTS)[number];

/** What stopped a run, with what was measured. */
export interface Halt {
  readonly kind: HaltKind;
  readonly part: string | null;
  readonly measured: number | null;
  readonly allowed: number | null;
}

export interface BrakeSettings {
  /** Of a table, from 0 to 1. */
  readonly share: number;
  /** What was over in earlier runs of the last 30 days, by {@link laneOf}. */
  readonly earlier: ReadonlyMap<string, readonly number[]>;
  /** People approved that more goes. */
  readonly beyond: boolean;
}

/** How a category is named for one action: each has its own usual amounts, and its own cursor. */
export const laneOf = ({ category, action }: Pick<PartOfRun, 'category' | 'action'>): string =>
  action === 'delete' ? category : `${category}/${action}`;
const shareOf = ({ part, action }: PartOfRun): string => (action === 'delete' ? part : `${part}/${action}`);

/** Times the median. */
const ANOMALY = 3;
/** Runs that make a median. */
const ENOUGH = 3;

/**
 * How much may go at all, whatever the policy says: a share of each table, and not much more of a category than is usual, for
 * each action. A
 * mistake in a rule, a clock or a feed looks like this. Few records pass always.
 */
export class Brake {
  private readonly taken = new Map<string, number>();
  private readonly parts = new Map<string, number>();
  private readonly lanes = new Map<string, number>();

  constructor(parts: readonly PartPreview[], { share, earlier, beyond }: BrakeSettings) {
    const few = LIMITS.retentionBrakeRecords.value;
    for (const { records, ...part } of parts)
      this.parts.set(shareOf(part), beyond ? Infinity : Math.max(few, Math.floor(records * share)));
    for (const [lane, counts] of earlier)
      if (!beyond && counts.length >= ENOUGH) this.lanes.set(lane, Math.max(few, ANOMALY * medianOf(counts)));
  }

  /** Notes that so many more of a part go. @returns what stops the run, else undefined; then it is not noted. */
  take(part: PartOfRun, records: number): Halt | undefined {
    const [share, lane] = [shareOf(part), laneOf(part)];
    const halt =
      this.over('share', share, this.parts.get(share) ?? 0, records) ??
      this.over('median', lane, this.lanes.get(lane) ?? Infinity, records);
    if (halt !== undefined) return halt;
    this.note(part, records);
    return undefined;
  }

  /** Notes what went before: by another worker, or in the batches so far. */
  note(part: PartOfRun, records: number): void {
    for (const name of [`share ${shareOf(part)}`, `median ${laneOf(part)}`])
      this.taken.set(name, (this.taken.get(name) ?? 0) + records);
  }

  private over(kind: HaltKind, name: string, allowed: number, records: number): Halt | undefined {
    const measured = (this.taken.get(`${kind} ${name}`) ?? 0) + records;
    return measured > allowed ? { kind, part: name, measured, allowed } : undefined;
  }
}

/** What would stop a run that takes everything that its preview says. */
export function brakeOnPreview(parts: readonly PartPreview[], settings: BrakeSettings): Halt | undefined {
  const brake = new Brake(parts, settings);
  for (const { going, ...part } of parts) {
    const halt = brake.take(part, going);
    if (halt !== undefined) return halt;
  }
  return undefined;
}

function medianOf(counts: readonly number[]): number {
  const sorted = counts.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle] ?? 0, sorted[middle] ?? 0];
  return (low + high) / 2;
}
