import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { HoldCount, HoldRelease, LegalHold } from '../domain/legal-hold.js';

/** The columns of a hold, over alias h. `placed_at` to the millisecond after it. */
export const HOLD_COLUMNS = `h.hold_id, h.matter, h.reason, h.rooftop_ids, h.categories, h.subjects, h.record_ids, h.from_time, h.until_time,
  h.placed_by, date_trunc('milliseconds', h.placed_at + interval '999 microseconds') AS placed_at, h.covered::float8 AS covered, h.root, h.counted_at,
  h.released_at, h.released_by, h.release_reason, h.free_from`;

export interface HoldRow {
  readonly hold_id: string;
  readonly matter: string;
  readonly reason: string;
  readonly rooftop_ids: string[] | null;
  readonly categories: string[] | null;
  readonly subjects: string[] | null;
  readonly record_ids: string[] | null;
  readonly from_time: Date | null;
  readonly until_time: Date | null;
  readonly placed_by: string;
  readonly placed_at: Date;
  readonly covered: number | null;
  readonly root: Uint8Array | null;
  readonly counted_at: Date | null;
  readonly released_at: Date | null;
  readonly released_by: string | null;
  readonly release_reason: string | null;
  readonly free_from: Date | null;
}

export function holdOf(row: HoldRow): LegalHold {
  return {
    holdId: row.hold_id,
    matter: row.matter,
    reason: row.reason,
    rooftopIds: row.rooftop_ids,
    categories: row.categories as RetentionCategory[] | null,
    subjects: row.subjects,
    recordIds: row.record_ids,
    from: row.from_time?.getTime() ?? null,
    until: row.until_time?.getTime() ?? null,
    placedBy: row.placed_by,
    placedAt: row.placed_at.getTime(),
    count: countOf(row),
    release: releaseOf(row),
  };
}

function countOf({ covered, root, counted_at: countedAt }: HoldRow): HoldCount | null {
  return covered === null || root === null || countedAt === null
    ? null
    : { covered, root, countedAt: countedAt.getTime() };
}

function releaseOf(row: HoldRow): HoldRelease | null {
  const { released_at: at, released_by: releasedBy, release_reason: reason, free_from: freeFrom } = row;
  if (at === null || releasedBy === null || reason === null || freeFrom === null) return null;
  return { releasedAt: at.getTime(), releasedBy, reason, freeFrom: freeFrom.getTime() };
}
