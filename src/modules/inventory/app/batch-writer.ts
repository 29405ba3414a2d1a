import { LIMITS } from '../../../kernel/limits.js';
import type { ColumnMap } from '../domain/feed/row-outcome.js';
import type { ColumnMaps, RunRow } from './feed-run.js';
import type { BuiltSnapshot, ImportStaging, StagedUnit } from './import-staging.js';
import type { RunLease } from './run-lease.js';
import type { PreparedRow } from './staged-row.js';

const BATCH_ROWS = LIMITS.feedBatchRows.value;

/**
 * Gathers rows into batches and writes one while the next is being read. At most two batches are in memory, whatever the
 * size of the file.
 */
export class BatchWriter {
  private units: StagedUnit[] = [];
  private rows: RunRow[] = [];
  private ordinal = 1;
  private staged = 0;
  private writing: Promise<void> = Promise.resolve();
  private readonly snapshotOf: ReadonlyMap<string, string>;
  private readonly mapIndex = new Map<string, number>();
  private readonly knownMaps = new WeakMap<ColumnMap, number>();
  private readonly maps: ColumnMap[] = [];

  constructor(
    private readonly staging: ImportStaging,
    private readonly lease: RunLease,
    private readonly sha256: string,
    snapshots: readonly BuiltSnapshot[],
  ) {
    this.snapshotOf = new Map(snapshots.map((s) => [s.rooftopId, s.snapshotId]));
  }

  get columnMaps(): ColumnMaps {
    return this.maps;
  }

  get isFull(): boolean {
    return this.units.length >= BATCH_ROWS || this.rows.length >= BATCH_ROWS;
  }

  addUnit({ row, vehicleId, unitJson, head }: PreparedRow): void {
    const snapshotId = this.snapshotOf.get(row.unit.rooftopId);
    if (snapshotId === undefined) throw new Error('a row of a rooftop that the feed is not bound to');
    const { at, withheld = null, columns } = row;
    this.units.push({ snapshotId, vehicleId, unitJson, head, withheld, ...at, columnMap: this.indexOf(columns) });
  }

  note(rows: readonly RunRow[]): void {
    for (const row of rows) this.rows.push(row);
  }

  /** Starts writing what was gathered, after what is being written. @throws LeaseLost also for an earlier batch. */
  async flush(rowsRead: number): Promise<void> {
    await this.writing;
    if (this.units.length === 0 && this.rows.length === 0) return;
    this.staged += this.units.length;
    const progress = { rows: rowsRead, units: this.staged };
    const batch = { sha256: this.sha256, units: this.units, firstOrdinal: this.ordinal, rows: this.rows, progress };
    this.ordinal += this.rows.length;
    this.units = [];
    this.rows = [];
    this.writing = this.staging.stage(this.lease, batch);
    this.writing.catch(() => undefined); // the next flush or `finish` reports it
  }

  /** Writes the rest, in parts of bounded size, and waits for it. */
  async finish(rowsRead: number): Promise<void> {
    const rest = this.rows;
    for (let at = 0; at === 0 || at < rest.length; at += BATCH_ROWS) {
      this.rows = rest.slice(at, at + BATCH_ROWS);
      await this.flush(rowsRead);
    }
    await this.writing;
  }

  /** Rows of one shape share one map object; shapes that are equal share one index. */
  private indexOf(columns: ColumnMap): number {
    const known = this.knownMaps.get(columns);
    if (known !== undefined) return known;
    const key = JSON.stringify(columns);
    const index = this.mapIndex.get(key) ?? this.maps.push(columns) - 1;
    this.mapIndex.set(key, index);
    this.knownMaps.set(columns, index);
    return index;
  }
}
