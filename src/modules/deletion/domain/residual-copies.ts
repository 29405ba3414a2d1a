import { rfc3339 } from '../../../kernel/time.js';

/** Days that copies outlive a deletion, as the operator of the database states them; undefined: not stated. */
export interface ResidualDays {
  /** Until every table was vacuumed: until then rows are in its pages. */
  readonly vacuum: number | undefined;
  /** Until archived segments of the write-ahead log are gone. */
  readonly wal: number | undefined;
  /** Until the last backup that has the rows is gone. */
  readonly backups: number | undefined;
}

const DAY_MS = 86_400_000;

/**
 * When the last copy of what was deleted is gone. What the operator has not stated is null, and then so is the end: a record never
 * claims more than is known. @param at milliseconds
 */
export function residualCopies(at: number, { vacuum, wal, backups }: ResidualDays): object {
  const until = (days: number | undefined): string | null => (days === undefined ? null : rfc3339(at + days * DAY_MS));
  const days = [vacuum, wal, backups].filter((stated) => stated !== undefined);
  return {
    table_pages_until: until(vacuum),
    write_ahead_log_until: until(wal),
    backups_until: until(backups),
    expire_by: days.length === 3 ? until(Math.max(...days)) : null,
    basis: 'settings of the operator; null: not stated',
  };
}
