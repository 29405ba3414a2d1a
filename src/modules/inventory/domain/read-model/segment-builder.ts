import { CodeIndex } from './code-index.js';
import { CodeLookUp } from './code-look-up.js';
import { millimetresOf } from './distance.js';
import { vinHash } from './duplicate-vins.js';
import type { HeadPlace } from './head-slab.js';
import { HeadSlabWriter } from './head-slab.js';
import { Pacer } from './pacer.js';
import type { SegmentColumns } from './rooftop-segment.js';
import { RooftopSegment } from './rooftop-segment.js';
import type { SegmentOptions, SegmentRow } from './segment-row.js';
import { standingCode } from './standing.js';
import type { UnitNotes } from './unit-notes.js';
import { usedSummaryFacts } from './used-summary-facts.js';
import { VariantTable } from './variant-table.js';
import { Vocabulary } from './vocabulary.js';

/** What is kept of a row until the segment is built: everything but its head, which is already in the slab. */
interface Draft {
  readonly vehicleId: string;
  readonly vin: string;
  readonly stockNumber: string;
  readonly variant: number;
  readonly trim: number;
  readonly priceMinor: number;
  readonly currency: number;
  readonly odometer: number;
  readonly standing: number;
  readonly ageDays: number;
  readonly observedAt: number;
  readonly head: HeadPlace;
}

/** Collects the published units of one rooftop, in any order, into a segment. Cheapest in order of vehicle id. */
export class SegmentBuilder {
  private readonly drafts: Draft[] = [];
  private readonly heads = new HeadSlabWriter();
  private readonly variants = new VariantTable();
  private readonly trims = new Vocabulary();
  private readonly currencies = new Vocabulary();
  private readonly notes = new Map<string, UnitNotes>();

  constructor(
    private readonly rooftopId: string,
    private readonly options: SegmentOptions,
  ) {}

  /** Takes a unit in. Its strings are not kept, apart from ids, VIN, stock number and new names. */
  add(row: SegmentRow): this {
    const used = usedSummaryFacts(row.head);
    if (row.notes !== undefined) this.notes.set(row.vehicleId, row.notes);
    this.drafts.push({
      vehicleId: row.vehicleId,
      vin: row.vin,
      stockNumber: row.stockNumber,
      variant: this.variants.add(row),
      trim: this.trims.add(row.trim ?? ''),
      priceMinor: row.priceMinor,
      currency: this.currencies.add(row.currency),
      odometer: odometerOf(row),
      standing: standingCode({
        availability: row.availability,
        history: used?.historyReportStatus ?? null,
        certification: used?.certificationType ?? null,
      }),
      ageDays: used?.ageDays ?? Number.NaN,
      observedAt: row.observedAt,
      head: this.heads.append(row.head),
    });
    return this;
  }

  /**
   * Finishes the segment, in slices between which other work of the event loop runs. The builder must not be used
   * afterwards.
   * @throws Error when a vehicle id was added twice.
   */
  async build(): Promise<RooftopSegment> {
    const { drafts, options } = this;
    const pacer = new Pacer();
    if (!isAscending(drafts)) drafts.sort((a, b) => (a.vehicleId < b.vehicleId ? -1 : 1));
    if (!isAscending(drafts)) throw new Error('a vehicle id occurs twice at a rooftop');
    const byVin = new CodeLookUp();
    const byStock = new CodeLookUp();
    const columns = emptyColumns(drafts.length);
    await pacer.each(drafts.length, (index) => {
      const draft = drafts[index] as Draft;
      byVin.add(draft.vin, index);
      if (draft.stockNumber !== '') byStock.add(draft.stockNumber, index); // withheld: found by nothing
      fill(columns, index, draft, options.inventorySlaSeconds * 1000);
    });
    return new RooftopSegment({
      rooftopId: this.rooftopId,
      ...options,
      vehicleIds: drafts.map((draft) => draft.vehicleId),
      vins: drafts.map((draft) => draft.vin),
      variants: this.variants,
      trims: this.trims.values,
      currencies: this.currencies.values,
      columns,
      codeIndex: await CodeIndex.of(drafts, pacer),
      heads: this.heads.finish(),
      byVin,
      byStock,
      notes: this.notes,
    });
  }
}

function odometerOf(row: SegmentRow): number {
  if (row.odometerValue === null || row.odometerUnit === null) return Number.NaN;
  return millimetresOf(row.odometerValue, row.odometerUnit);
}

function isAscending(drafts: readonly Draft[]): boolean {
  return drafts.every((draft, i) => i === 0 || (drafts[i - 1] as Draft).vehicleId < draft.vehicleId);
}

function emptyColumns(size: number): SegmentColumns {
  return {
    variant: new Uint32Array(size),
    trim: new Uint32Array(size),
    priceMinor: new Float64Array(size),
    currency: new Uint16Array(size),
    odometer: new Float64Array(size),
    standing: new Uint8Array(size),
    ageDays: new Float64Array(size),
    vinHash: new Uint32Array(size),
    observedAt: new Float64Array(size),
    validUntil: new Float64Array(size),
    headChunk: new Uint16Array(size),
    headStart: new Uint32Array(size),
    headLength: new Uint32Array(size),
  };
}

function fill(columns: SegmentColumns, index: number, draft: Draft, slaMs: number): void {
  columns.variant[index] = draft.variant;
  columns.trim[index] = draft.trim;
  columns.priceMinor[index] = draft.priceMinor;
  columns.currency[index] = draft.currency;
  columns.odometer[index] = draft.odometer;
  columns.standing[index] = draft.standing;
  columns.ageDays[index] = draft.ageDays;
  columns.vinHash[index] = vinHash(draft.vin);
  columns.observedAt[index] = draft.observedAt;
  columns.validUntil[index] = draft.observedAt + slaMs;
  columns.headChunk[index] = draft.head.chunk;
  columns.headStart[index] = draft.head.start;
  columns.headLength[index] = draft.head.length;
}
