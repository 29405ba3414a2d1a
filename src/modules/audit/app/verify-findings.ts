import type { RowProblem } from './check-row.js';

export type FindingKind =
  | RowProblem
  | 'record_missing'
  | 'record_changed'
  | 'record_unnumbered'
  | 'entry_missing'
  | 'entry_twice'
  | 'tile_differs'
  | 'root_differs'
  | 'tail_missing'
  | 'checkpoint_unsigned'
  | 'value_erased'
  | 'vault_differs'
  | 'pruning_differs'
  | 'pruning_unrecorded';

/** Something that was done to the trail. Rows are leaf indexes from 0, both included. */
export interface Finding {
  readonly kind: FindingKind;
  readonly from: number;
  readonly to: number;
}

const FINDINGS_MAX = 1000;

/** What was found so far: neighbours of one kind are one finding, and there is an end to them. */
export class Findings {
  private readonly found: Finding[] = [];

  get list(): readonly Finding[] {
    return this.found;
  }

  add(kind: FindingKind, from: number, to: number): void {
    const last = this.found.at(-1);
    if (last?.kind === kind && last.to + 1 === from) this.found[this.found.length - 1] = { ...last, to };
    else if (this.found.length < FINDINGS_MAX) this.found.push({ kind, from, to });
  }
}
