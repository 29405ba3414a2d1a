import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';

/** What a hold keeps: the records that every dimension covers which is not null. Null is any. Times are milliseconds. */
export interface HoldScope {
  readonly categories: readonly RetentionCategory[] | null;
  readonly recordIds: readonly string[] | null;
  readonly rooftopIds: readonly string[] | null;
  readonly subjects: readonly string[] | null;
  /** Of the record's creation: `from <= created < until`. */
  readonly from: number | null;
  readonly until: number | null;
}

/** A hold as far as it decides about records. */
export interface HoldInForce extends HoldScope {
  readonly holdId: string;
  /** Its records are not counted yet: no deletion of the organization begins. */
  readonly counting: boolean;
  readonly releasedAt: number | null;
  /** End of the cooling period after the release. */
  readonly freeFrom: number | null;
}

/** What coverage asks of a record. Null: not known; an empty list: it has none. */
export interface Coverable {
  readonly category: RetentionCategory;
  readonly recordId: string;
  readonly rooftops: readonly string[] | null;
  readonly subjects: readonly string[] | null;
  readonly created: number | null;
}

/** Whether a hold covers a record. The same as `hold_covers` in SQL (migration 19): unknown is covered. */
export function holdCovers(hold: HoldScope, record: Coverable): boolean {
  const { created } = record;
  return (
    (hold.categories === null || hold.categories.includes(record.category)) &&
    (hold.recordIds === null || hold.recordIds.includes(record.recordId)) &&
    overlaps(hold.rooftopIds, record.rooftops) &&
    overlaps(hold.subjects, record.subjects) &&
    (hold.from === null || created === null || created >= hold.from) &&
    (hold.until === null || created === null || created < hold.until)
  );
}

/**
 * Whether a hold still binds. The same as `hold_binds` in SQL. A run that was approved before the release does not profit from
 * it. @param approvedAt of the run that deletes; null outside runs
 */
export function holdBinds(
  { releasedAt, freeFrom }: Pick<HoldInForce, 'releasedAt' | 'freeFrom'>,
  now: number,
  approvedAt: number | null,
): boolean {
  if (releasedAt === null || freeFrom === null || freeFrom > now) return true;
  return approvedAt !== null && approvedAt <= releasedAt;
}

function overlaps(named: readonly string[] | null, known: readonly string[] | null): boolean {
  return named === null || known === null || known.some((value) => named.includes(value));
}
