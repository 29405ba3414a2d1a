import type { ListedUnit } from '../../listed-unit.js';
import type { SourceField } from '../profile/feed-profile.js';
import type { QuarantineReason, RowFlag, RowProblem, WithheldReason } from '../row-outcome.js';
import type { RowView } from './row-view.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A unit while its row is being read: what is known so far, everything that is wrong, and notes. */
export class RowDraft {
  readonly unit: Mutable<Partial<ListedUnit>> = {};
  readonly problems: RowProblem[] = [];
  readonly flags: RowFlag[] = [];
  /** Why the unit is not offered, strongest first when several are found. */
  readonly withheld = new Set<WithheldReason>();

  constructor(private readonly view: RowView) {}

  /** The row is refused; reading goes on, so that all problems are told at once. */
  problem(reason: QuarantineReason, field?: SourceField): void {
    const column = field === undefined ? undefined : this.view.column(field);
    this.problems.push(column === undefined ? { reason } : { reason, column });
  }

  flag(flag: string, field?: SourceField): void {
    const column = field === undefined ? undefined : this.view.column(field);
    this.flags.push(column === undefined ? { flag } : { flag, column });
  }
}
