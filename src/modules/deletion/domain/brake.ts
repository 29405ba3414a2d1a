import { LIMITS } from '../../../kernel/limits.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
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
  /** What was over in earlier runs of the last 30 days, by category. */
  readonly earlier: ReadonlyMap<RetentionCategory, readonly number[]>;
  /** People approved that more goes. */
  readonly beyond: boolean;
}

/** Times the median. */
const ANOMALY = 3;
/** Runs that make a median. */
const ENOUGH = 3;

/**
 * How much may go at all, whatever the policy says: a share of each table, and not much more of a category than is usual. A
 * mistake in a rule, a clock or a feed looks like this. Few records pass always.
 */
export class Brake {
  private readonly taken = new Map<string, number>();
  private readonly parts = new Map<string, number>();
  private readonly categories = new Map<string, number>();

  constructor(parts: readonly PartPreview[], { share, earlier, beyond }: BrakeSettings) {
    const few = LIMITS.retentionBrakeRecords.value;
    for (const { part, records } of parts)
      this.parts.set(part, beyond ? Infinity : Math.max(few, Math.floor(records * share)));
    for (const [category, counts] of earlier)
      if (!beyond && counts.length >= ENOUGH) this.categories.set(category, Math.max(few, ANOMALY * medianOf(counts)));
  }

  /** Notes that so many more of a part go. @returns what stops the run, else undefined; then it is not noted. */
  take(category: RetentionCategory, part: string, records: number): Halt | undefined {
    const halt =
      this.over('share', part, this.parts.get(part) ?? 0, records) ??
      this.over('median', category, this.categories.get(category) ?? Infinity, records);
    if (halt !== undefined) return halt;
    this.note(category, part, records);
    return undefined;
  }

  /** Notes what went before: by another worker, or in the batches so far. */
  note(category: RetentionCategory, part: string, records: number): void {
    for (const name of [`share ${part}`, `median ${category}`])
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
  for (const { category, part, going } of parts) {
    const halt = brake.take(category, part, going);
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
