import type { JsonBytes } from '../../../../kernel/json-bytes.js';
import type { AvailabilityStatus } from '../vehicle-schema.js';
import { AVAILABILITY_STATUSES } from '../vehicle-schema.js';
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
import type { SearchOutcome, SearchResult } from './search-result.js';
import { selectUnits } from './select-units.js';
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

  private constructor(
    readonly organizationId: string,
    readonly version: number,
    private readonly columns: InventoryColumns,
    cacheBytes: number,
  ) {
    this.cache = new ResultCache(cacheBytes);
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

  get cacheCounters(): CacheCounters {
    return this.cache.counters;
  }

  /** Position of a rooftop's unit. Two units under one VIN or stock number are `ambiguous`, never the first. */
  find(rooftopId: string, selector: VehicleSelector): number | 'absent' | 'ambiguous' {
    const segmentIndex = this.segmentIndex.get(rooftopId);
    if (segmentIndex === undefined) return 'absent';
    const index = indexOf(this.columns.segments[segmentIndex] as RooftopSegment, selector);
    if (index === ABSENT) return 'absent';
    return index === AMBIGUOUS ? 'ambiguous' : (this.columns.starts[segmentIndex] as number) + index;
  }

  /** The DAP vehicle at a position, with its state at `now` (milliseconds). */
  vehicleJson(position: number, now: number): JsonBytes {
    return this.cache.vehicle(position, now, () => renderVehicle(this.columns, position, now)).vehicle;
  }

  /** The facts about the unit at a position. */
  unitAt(position: number): UnitFacts {
    const { columns } = this;
    const { rooftopId, vehicleId } = keysetAt(columns, position, null);
    const segment = columns.segments[columns.segment[position] as number] as RooftopSegment;
    return {
      rooftopId,
      vehicleId,
      availability: AVAILABILITY_STATUSES[columns.availability[position] as number] ?? 'unknown',
      observedAt: columns.observedAt[position] as number,
      validUntil: columns.validUntil[position] as number,
      inventorySlaSeconds: segment.parts.inventorySlaSeconds,
      price: {
        amount_minor: columns.priceMinor[position] as number,
        currency: columns.currencies.values[columns.currency[position] as number] as string,
      },
      snapshotId: segment.parts.snapshotId,
      feedName: segment.parts.feedName,
    };
  }

  /**
   * One page of the units that match a query.
   * @param now milliseconds; decides which units and whether the group are stale.
   */
  search(query: NormalisedQuery, now: number): SearchOutcome {
    const { columns, cache } = this;
    const result = cache.result(query, () => this.resultOf(query));
    const { positions, freshness } = result;
    const start = query.after === undefined ? 0 : firstAfter(columns, positions, query.sort, query.after);
    const end = Math.min(start + query.limit, positions.length);
    const page = cache.page(query, start, now, () =>
      renderPage(columns, positions.subarray(start, end), query.sort, now),
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
