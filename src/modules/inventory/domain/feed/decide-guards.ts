import type { FeedGuards } from './feed-settings.js';
import { DEFAULT_GUARDS } from './feed-settings.js';

export interface GuardInput {
  /** Counts of the file that was read. */
  readonly tally: { readonly rows: number; readonly quarantined: number };
  /** Published units by rooftop before the file and after it. */
  readonly previousCounts: Readonly<Record<string, number>>;
  readonly newCounts: Readonly<Record<string, number>>;
  readonly guards?: Partial<FeedGuards>;
}

/**
 * Why a file must not be published without a person's word: too many bad rows (`bad_row_share`), or a rooftop that would
 * lose too much of what it shows (`shrink:<rooftop_id>`). A short upload looks exactly like "everything sold".
 * @returns no reasons when the file may be published.
 */
export function decideGuards(input: GuardInput): readonly string[] {
  const { badRowShare, shrinkShare } = { ...DEFAULT_GUARDS, ...input.guards };
  const { rows, quarantined } = input.tally;
  const reasons = rows > 0 && quarantined > badRowShare * rows ? ['bad_row_share'] : [];
  for (const [rooftopId, before] of Object.entries(input.previousCounts)) {
    const after = Object.hasOwn(input.newCounts, rooftopId) ? (input.newCounts[rooftopId] ?? 0) : 0;
    if (after < shrinkShare * before) reasons.push(`shrink:${rooftopId}`);
  }
  return reasons;
}
