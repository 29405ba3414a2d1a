import { detachedText } from './detached-text.js';
import { HashIndex, hash64, WordList } from './hash-index.js';
import type { SourcePosition, UnitRow, WithheldReason } from './row-outcome.js';
import { WITHHELD_REASONS } from './row-outcome.js';

/** What a row is in the light of the rows before it. */
export type LedgerAnswer =
  | { readonly kind: 'first' }
  /** The same record again: the first one is kept. */
  | { readonly kind: 'collapsed'; readonly sameAsLine: number }
  /** Another record for the same car at the same rooftop: none of them can be trusted. */
  | { readonly kind: 'conflict'; readonly firstLine: number };

/** Where a row of a group stands, and what it was taken for before the group was known. */
export interface LedgerPosition extends SourcePosition {
  readonly was: 'publishable' | 'collapsed' | 'conflict' | WithheldReason;
}

export interface DuplicateConflict {
  readonly rooftopId: string;
  readonly vin: string;
  readonly positions: readonly LedgerPosition[];
}

export interface SharedStockNumber {
  readonly rooftopId: string;
  readonly stockNumber: string;
  readonly positions: readonly LedgerPosition[];
}

export interface SharedVin {
  readonly vin: string;
  readonly positions: readonly LedgerPosition[];
}

export interface LedgerConclusion {
  /** Every row of these is quarantined as `duplicate_conflict`, also those that looked sound when they were read. */
  readonly conflicts: readonly DuplicateConflict[];
  /** One stock number on several cars of a rooftop: flag `stock_number_shared`. */
  readonly sharedStockNumbers: readonly SharedStockNumber[];
  /** One car at several rooftops: flag `vin_at_two_rooftops`. */
  readonly sharedVins: readonly SharedVin[];
}

/** States of a row: 0 publishable, then the withheld reasons by their number, then these. */
const COLLAPSED = WITHHELD_REASONS.length + 1;
const CONFLICT = COLLAPSED + 1;
const NO_ROW = 0xffffffff;

/** Rows with the same key: those after the first, newest first, are chained to it. */
interface KeyChain {
  readonly index: HashIndex;
  /** Newest row of a key's chain, at the place of its first row. */
  readonly newest: WordList;
  /** The row before in the chain. */
  readonly before: WordList;
}

const chain = (): KeyChain => ({ index: new HashIndex(), newest: new WordList(), before: new WordList() });

/**
 * Knows of every row of a file which car, rooftop and stock number it was for, in about 100 bytes a row and without its
 * strings, so that duplicates are found in files of any size. Names are kept only of groups that are reported.
 */
export class RowLedger {
  private readonly cars = chain();
  private readonly stocks = chain();
  private readonly vins = chain();
  private readonly print = { high: new WordList(), low: new WordList() };
  private readonly lines = new WordList();
  private readonly records = new WordList();
  private readonly states = new WordList();
  private readonly conflicts = new Map<number, { rooftopId: string; vin: string }>();
  private readonly sharedStocks = new Map<number, { rooftopId: string; stockNumber: string }>();
  private readonly sharedVins = new Map<number, string>();

  /** Takes the rows of a file in order. */
  add(row: UnitRow): LedgerAnswer {
    const { rooftopId, vin, stockNumber } = row.unit;
    const number = this.lines.length;
    const [high, low] = hash64(row.fingerprint);
    const car = this.link(this.cars, `${rooftopId}\0${vin}`, number);
    const stock = this.link(this.stocks, `${rooftopId}\0${stockNumber}`, number);
    const elsewhere = this.link(this.vins, vin, number);
    this.print.high.push(high);
    this.print.low.push(low);
    this.lines.push(row.at.line);
    this.records.push(row.at.record);
    this.states.push(row.withheld === undefined ? 0 : WITHHELD_REASONS.indexOf(row.withheld) + 1);
    if (car < 0) {
      if (stock >= 0) this.sharedStocks.set(stock, { rooftopId, stockNumber: detachedText(stockNumber) });
      if (elsewhere >= 0) this.sharedVins.set(elsewhere, detachedText(vin));
      return { kind: 'first' };
    }
    return this.repeat(number, car, rooftopId, vin);
  }

  conclude(): LedgerConclusion {
    const isFirst = (row: number): boolean => this.states.at(row) < COLLAPSED;
    const kept = (rows: readonly number[]): readonly LedgerPosition[] =>
      rows.filter(isFirst).map((row) => this.position(row));
    return {
      conflicts: [...this.conflicts].map(([first, key]) => ({
        ...key,
        positions: this.rowsOf(this.cars, first).map((row) => this.position(row)),
      })),
      sharedStockNumbers: [...this.sharedStocks].map(([first, key]) => ({
        ...key,
        positions: kept(this.rowsOf(this.stocks, first)),
      })),
      sharedVins: [...this.sharedVins].map(([first, vin]) => ({ vin, positions: kept(this.rowsOf(this.vins, first)) })),
    };
  }

  private repeat(number: number, first: number, rooftopId: string, vin: string): LedgerAnswer {
    const same = this.rowsOf(this.cars, first).find((row) => row !== number && this.samePrint(row, number));
    if (same !== undefined && !this.conflicts.has(first)) {
      this.states.set(number, COLLAPSED);
      return { kind: 'collapsed', sameAsLine: this.lines.at(same) };
    }
    this.conflicts.set(first, { rooftopId, vin: detachedText(vin) });
    this.states.set(number, CONFLICT);
    return { kind: 'conflict', firstLine: this.lines.at(first) };
  }

  /** @returns the first row with this key, or -1. */
  private link(keys: KeyChain, text: string, number: number): number {
    const [high, low] = hash64(text);
    const first = keys.index.add(high, low, number);
    keys.newest.push(number);
    keys.before.push(first < 0 ? NO_ROW : keys.newest.at(first));
    if (first >= 0) keys.newest.set(first, number);
    return first;
  }

  private rowsOf(keys: KeyChain, first: number): readonly number[] {
    const rows: number[] = [];
    for (let row = keys.newest.at(first); row !== NO_ROW; row = keys.before.at(row)) rows.push(row);
    return rows.reverse();
  }

  private samePrint(a: number, b: number): boolean {
    return this.print.high.at(a) === this.print.high.at(b) && this.print.low.at(a) === this.print.low.at(b);
  }

  private position(row: number): LedgerPosition {
    const state = this.states.at(row);
    const was = ['publishable', ...WITHHELD_REASONS, 'collapsed', 'conflict'] as const;
    return { line: this.lines.at(row), record: this.records.at(row), was: was[state] ?? 'publishable' };
  }
}
