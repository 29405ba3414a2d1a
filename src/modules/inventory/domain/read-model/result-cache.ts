import { ByteLru } from './byte-lru.js';
import type { NormalisedQuery } from './normalised-query.js';
import type { SearchResult } from './search-result.js';
import type { Reading, RenderedVehicle, VehiclePage } from './vehicle-page.js';

/** What the cache has done so far. */
export interface CacheCounters {
  readonly resultHits: number;
  readonly resultMisses: number;
  readonly pageHits: number;
  readonly pageMisses: number;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** Bytes an entry costs beside its arrays: objects, ids, map slots. A round estimate. */
const OVERHEAD_BYTES = 1024;
/** A document is held plain and, once asked for, escaped, which is longer by its quotes: at most this many times plain. */
const BOTH_FORMS = 2.5;

/**
 * Results, pages and single vehicles of one version of an inventory. Both live in one bounded store, so a popular query with many
 * pages cannot hold more than a store full of them.
 */
export class ResultCache {
  private readonly items: ByteLru<SearchResult | VehiclePage | RenderedVehicle>;
  private readonly counts = { resultHits: 0, resultMisses: 0, pageHits: 0, pageMisses: 0 };

  constructor(maxBytes: number) {
    this.items = new ByteLru(maxBytes);
  }

  get counters(): CacheCounters {
    return { ...this.counts, bytes: this.items.bytes, maxBytes: this.items.maxBytes };
  }

  result(query: NormalisedQuery, make: () => SearchResult): SearchResult {
    const known = this.items.get(query.canonical);
    if (known !== undefined && 'positions' in known) {
      this.counts.resultHits++;
      return known;
    }
    this.counts.resultMisses++;
    const result = make();
    const bytes = result.positions.byteLength + result.facets.byteLength * BOTH_FORMS + OVERHEAD_BYTES;
    this.items.set(query.canonical, result, bytes);
    return result;
  }

  /** A kept page counts only for instants at which all its states hold, and for callers who may see the same rooftops. */
  page(query: NormalisedQuery, start: number, reading: Reading, make: () => VehiclePage): VehiclePage {
    const { now } = reading;
    // Canonical strings are JSON arrays, so a key with a prefix before the bracket is never one of them.
    const key = `${visibleKey(reading)}${start}+${query.limit}${query.canonical}`;
    const known = this.items.get(key);
    if (known !== undefined && 'vehicles' in known && known.from <= now && now <= known.until) {
      this.counts.pageHits++;
      return known;
    }
    this.counts.pageMisses++;
    const page = make();
    this.items.set(key, page, page.vehicles.byteLength * BOTH_FORMS + OVERHEAD_BYTES);
    return page;
  }

  /** A single vehicle, kept like a page: what one agent looks at, the next one asks for, too. */
  vehicle(position: number, reading: Reading, make: () => RenderedVehicle): RenderedVehicle {
    const { now } = reading;
    const key = `${visibleKey(reading)}@${position}`;
    const known = this.items.get(key);
    if (known !== undefined && 'vehicle' in known && known.from <= now && now <= known.until) return known;
    const rendered = make();
    this.items.set(key, rendered, rendered.vehicle.byteLength * BOTH_FORMS + OVERHEAD_BYTES);
    return rendered;
  }
}

/** Empty for callers who may see all rooftops: nearly everybody. */
function visibleKey({ visible }: Reading): string {
  return visible === null ? '' : `#${visible.join()}#`;
}
