import type { JsonBytes } from '../../../../kernel/json-bytes.js';
import type { AvailabilityStatus } from '../vehicle-schema.js';
import { ABSENT, AMBIGUOUS } from './code-look-up.js';
import { countFacets } from './facet-counts.js';
import { GroupFreshness } from './group-freshness.js';
import type { InventoryColumns } from './inventory-columns.js';
import { joinSegments } from './inventory-columns.js';
import { firstAfter, keysetAt } from './keyset.js';
import type { NormalisedQuery } from './normalised-query.js';
import { Pacer } from './pacer.js';
import type { CacheCounters } from './result-cache.js';
import { ResultCache } from './result-cache.js';
import type { RooftopSegment } from './rooftop-segment.js';
import type { Standing } from './standing.js';
import { STANDINGS } from './standing.js';
import type { SearchOutcome, SearchResult } from './search-result.js';
import { selectUnits } from './select-units.js';
import { NO_NOTES, type UnitNotes } from './unit-notes.js';
import type { VisibleRooftops } from './vehicle-page.js';
import { renderPage, renderVehicle } from './vehicle-page.js';

/** Exactly one way to name a unit of a rooftop (DAP §2.8). */
export type VehicleSelector =
  { readonly vehicleId: string } | { readonly vin: string } | { readonly stockNumber: string };

/** What is known of a unit beside its document. Times in milliseconds. */
export interface UnitFacts {
  readonly rooftopId: string;
  readonly vehicleId: string;
  readonly availability: AvailabilityStatus;
  readonly observedAt: number;
  readonly validUntil: number;
  readonly inventorySlaSeconds: number;
  /** The generally available offer in minor units, unit events applied. */
  readonly price: { readonly amount_minor: number; readonly currency: string };
  readonly notes: UnitNotes;
  /** Where the unit's record is stored. */
  readonly snapshotId: string;
  readonly feedName: string;
}

export interface InventoryOptions {
  /** Bound of the result cache, bytes. */
  readonly cacheBytes?: number;
}

const CACHE_BYTES = 67_108_864;

/**
 * One version of everything an organization publishes: immutable, searched in memory. A new version shares the segments
 * that did not change and replaces the old one by a single assignment of the holder.
 */
export class OrganizationInventory {
  private readonly cache: ResultCache;
  private readonly segmentIndex: ReadonlyMap<string, number>;
  private readonly currencies: ReadonlySet<string>;

  private constructor(
    readonly organizationId: string,
    readonly version: number,
    private readonly columns: InventoryColumns,
    cacheBytes: number,
  ) {
    this.cache = new ResultCache(cacheBytes);
    this.currencies = new Set(columns.currencies.values);
    this.segmentIndex = new Map(columns.segments.map((segment, index) => [segment.rooftopId, index]));
  }

  /**
   * Puts segments together, in slices between which other work of the event loop runs.
   * @throws Error when a rooftop occurs twice.
   */
  static async assemble(
    organizationId: string,
    version: number,
    segments: readonly RooftopSegment[],
    options: InventoryOptions = {},
  ): Promise<OrganizationInventory> {
    const columns = await joinSegments(segments, new Pacer());
    return new OrganizationInventory(organizationId, version, columns, options.cacheBytes ?? CACHE_BYTES);
  }

  /** Number of published units. */
  get size(): number {
    return this.columns.variant.length;
  }

  /** Segments by ascending rooftop id, to assemble the next version from. */
  get segments(): readonly RooftopSegment[] {
    return this.columns.segments;
  }

  /** Currencies of the published prices of some rooftops; null for all. */
  currenciesOf(rooftopIds: readonly string[] | null): ReadonlySet<string> {
    if (rooftopIds === null) return this.currencies;
    return new Set(rooftopIds.flatMap((id) => this.segmentOf(id)?.parts.currencies ?? []));
  }

  get cacheCounters(): CacheCounters {
    return this.cache.counters;
  }

  /** Position of a rooftop's unit. Two units under one VIN or stock number are `ambiguous`, never the first. */
  find(rooftopId: string, selector: VehicleSelector): number | 'absent' | 'ambiguous' {
    const segment = this.segmentOf(rooftopId);
    if (segment === undefined) return 'absent';
    const index = indexOf(segment, selector);
    if (index === ABSENT) return 'absent';
    if (index === AMBIGUOUS) return 'ambiguous';
    return (this.columns.starts[this.segmentIndex.get(rooftopId) as number] as number) + index;
  }

  /**
   * The DAP vehicle at a position, with its state at `now` (milliseconds).
   * @param visible rooftops that the caller may see: others are not named as having the same VIN. Null for all.
   */
  vehicleJson(position: number, now: number, visible: VisibleRooftops = null): JsonBytes {
    const reading = { now, visible };
    return this.cache.vehicle(position, reading, () => renderVehicle(this.columns, position, reading)).vehicle;
  }

  /** The facts about the unit at a position. */
  unitAt(position: number): UnitFacts {
    const { columns } = this;
    const { rooftopId, vehicleId } = keysetAt(columns, position, null);
    const segment = columns.segments[columns.segment[position] as number] as RooftopSegment;
    return {
      rooftopId,
      vehicleId,
      availability: (STANDINGS[columns.standing[position] as number] as Standing).availability,
      observedAt: columns.observedAt[position] as number,
      validUntil: columns.validUntil[position] as number,
      inventorySlaSeconds: segment.parts.inventorySlaSeconds,
      price: {
        amount_minor: columns.priceMinor[position] as number,
        currency: columns.currencies.values[columns.currency[position] as number] as string,
      },
      notes: segment.parts.notes.get(vehicleId) ?? NO_NOTES,
      snapshotId: segment.parts.snapshotId,
      feedName: segment.parts.feedName,
    };
  }

  /**
   * One page of the units that match a query.
   * @param now milliseconds; decides which units and whether the group are stale.
   * @param visible as in `vehicleJson`; decides no match and no count.
   */
  search(query: NormalisedQuery, now: number, visible: VisibleRooftops = null): SearchOutcome {
    const { columns, cache } = this;
    const reading = { now, visible };
    const result = cache.result(query, () => this.resultOf(query));
    const { positions, freshness } = result;
    const start = query.after === undefined ? 0 : firstAfter(columns, positions, query.sort, query.after);
    const end = Math.min(start + query.limit, positions.length);
    const page = cache.page(query, start, reading, () =>
      renderPage(columns, positions.subarray(start, end), query.sort, reading),
    );
    const hasMore = end < positions.length;
    return {
      vehicles: page.vehicles,
      facets: query.after === undefined ? result.facets : null,
      freshness: freshness.at(now),
      freshnessBounds: freshness.bounds,
      total: positions.length,
      hasMore,
      next: hasMore ? page.last : null,
      vehicleIds: page.vehicleIds,
      rooftopIds: page.rooftopIds,
    };
  }

  private segmentOf(rooftopId: string): RooftopSegment | undefined {
    const index = this.segmentIndex.get(rooftopId);
    return index === undefined ? undefined : this.columns.segments[index];
  }

  private resultOf(query: NormalisedQuery): SearchResult {
    const positions = selectUnits(this.columns, query);
    return {
      positions,
      facets: countFacets(this.columns, positions),
      freshness: GroupFreshness.of(this.columns, positions),
    };
  }
}

function indexOf(segment: RooftopSegment, selector: VehicleSelector): number {
  if ('vehicleId' in selector) return segment.indexOfVehicle(selector.vehicleId);
  if ('vin' in selector) return segment.parts.byVin.indexOf(selector.vin);
  return segment.parts.byStock.indexOf(selector.stockNumber);
}
