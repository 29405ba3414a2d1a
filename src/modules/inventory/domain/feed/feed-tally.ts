import type { LedgerAnswer, LedgerConclusion } from './row-ledger.js';
import type { RowOutcome } from './row-outcome.js';

type Counts = Readonly<Record<string, number>>;

/** What the rows of a file came to. `rows = publishable + withheld + collapsed + quarantined`. */
export interface TallySnapshot {
  readonly rows: number;
  readonly publishable: number;
  readonly withheld: number;
  readonly withheldBy: Counts;
  readonly collapsed: number;
  readonly quarantined: number;
  readonly quarantinedBy: Counts;
  /** Rows by flag; the number that some flags carry ("image_urls_dropped:2") is left out. */
  readonly flags: Counts;
  readonly publishableByRooftop: Counts;
}

/** Counts the outcomes of a file while it is read, and corrects itself when conflicts are known. */
export class FeedTally {
  private rows = 0;
  private collapsed = 0;
  private readonly withheldBy = new Map<string, number>();
  private readonly quarantinedBy = new Map<string, number>();
  private readonly flags = new Map<string, number>();
  private readonly publishableBy = new Map<string, number>();

  /** Counts a row with what the ledger said of it; quarantined rows have no answer. */
  add(row: RowOutcome, answer: LedgerAnswer | undefined): void {
    this.rows += 1;
    if (row.kind === 'quarantined') {
      count(this.quarantinedBy, row.reason);
      return;
    }
    for (const { flag } of row.flags) count(this.flags, flagName(flag));
    if (answer?.kind === 'conflict') count(this.quarantinedBy, 'duplicate_conflict');
    else if (answer?.kind === 'collapsed') this.collapsed += 1;
    else if (row.withheld !== undefined) count(this.withheldBy, row.withheld);
    else count(this.publishableBy, row.unit.rooftopId);
  }

  /** Moves the rows of conflicts that were counted before their conflict was known, and counts the flags of groups. */
  conclude(conclusion: LedgerConclusion): void {
    for (const { rooftopId, positions } of conclusion.conflicts) {
      for (const { was } of positions) {
        if (was === 'conflict') continue;
        count(this.quarantinedBy, 'duplicate_conflict');
        if (was === 'collapsed') this.collapsed -= 1;
        else if (was === 'publishable') count(this.publishableBy, rooftopId, -1);
        else count(this.withheldBy, was, -1);
      }
    }
    for (const { positions } of conclusion.sharedStockNumbers)
      count(this.flags, 'stock_number_shared', positions.length);
    for (const { positions } of conclusion.sharedVins) count(this.flags, 'vin_at_two_rooftops', positions.length);
  }

  snapshot(): TallySnapshot {
    return {
      rows: this.rows,
      publishable: sum(this.publishableBy),
      withheld: sum(this.withheldBy),
      withheldBy: asRecord(this.withheldBy),
      collapsed: this.collapsed,
      quarantined: sum(this.quarantinedBy),
      quarantinedBy: asRecord(this.quarantinedBy),
      flags: asRecord(this.flags),
      publishableByRooftop: asRecord(this.publishableBy),
    };
  }
}

function flagName(flag: string): string {
  return flag.replace(/:\d+$/, '');
}

function count(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, n) => total + n, 0);
}

function asRecord(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].filter(([, n]) => n !== 0));
}
