import type { KeysetPosition } from '../../../../kernel/cursor/keyset-position.js';
import type { JsonBytes } from '../../../../kernel/json-bytes.js';
import type { FreshnessBounds, GroupFreshness } from './group-freshness.js';

/** Everything about a result that does not depend on the page. */
export interface SearchResult {
  /** In order. */
  readonly positions: Uint32Array;
  readonly facets: JsonBytes;
  readonly freshness: GroupFreshness;
}

/** One page of a search, in pieces of JSON that the caller puts into an answer (DAP searchResponse). */
export interface SearchOutcome {
  /** `[…]` */
  readonly vehicles: JsonBytes;
  /** `{…}`; null on every page but the first. */
  readonly facets: JsonBytes | null;
  /** `{…}`, of the whole result. */
  readonly freshness: JsonBytes;
  /** The numbers behind `freshness`; null for an empty result. */
  readonly freshnessBounds: FreshnessBounds | null;
  /** Units of the whole result. */
  readonly total: number;
  readonly hasMore: boolean;
  /** What the next page's cursor holds; null when there is none. */
  readonly next: KeysetPosition | null;
  /** For the audit record: the page's vehicles in order, and their distinct rooftops. At most `limit` each. */
  readonly vehicleIds: readonly string[];
  readonly rooftopIds: readonly string[];
}
