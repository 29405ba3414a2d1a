import { JsonBytes } from '../../../../kernel/json-bytes.js';
import { rfc3339 } from '../../../../kernel/time.js';
import { freshnessState } from '../vehicle-record/freshness.js';
import type { InventoryColumns } from './inventory-columns.js';

/** Oldest observation, first end of validity (milliseconds) and longest service level (seconds) of a set of units. */
export interface FreshnessBounds {
  readonly observedAt: number;
  readonly validUntil: number;
  readonly maxAgeSeconds: number;
}

/**
 * Freshness of a whole result: as old as its oldest unit, and stale as soon as one unit is (DAP §2.7). An empty result is
 * an observation made now.
 */
export class GroupFreshness {
  private readonly json: { current?: JsonBytes; stale?: JsonBytes } = {};

  /** @param bounds null for an empty result. */
  constructor(readonly bounds: FreshnessBounds | null) {}

  static of(columns: InventoryColumns, positions: Uint32Array): GroupFreshness {
    if (positions.length === 0) return new GroupFreshness(null);
    const seen = new Uint8Array(columns.segments.length);
    let observedAt = Infinity;
    let validUntil = Infinity;
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i] as number;
      const observed = columns.observedAt[position] as number;
      const valid = columns.validUntil[position] as number;
      if (observed < observedAt) observedAt = observed;
      if (valid < validUntil) validUntil = valid;
      seen[columns.segment[position] as number] = 1;
    }
    const ages = columns.segments.map((segment, index) => (seen[index] === 1 ? segment.parts.inventorySlaSeconds : 0));
    return new GroupFreshness({ observedAt, validUntil, maxAgeSeconds: Math.max(...ages) });
  }

  /** The DAP freshness object at a time, milliseconds. */
  at(now: number): JsonBytes {
    if (this.bounds === null) {
      return JsonBytes.of({ observed_at: rfc3339(now), valid_until: rfc3339(now), state: 'current' });
    }
    const state = freshnessState(this.bounds.validUntil, now);
    this.json[state] ??= JsonBytes.of({
      observed_at: rfc3339(this.bounds.observedAt),
      valid_until: rfc3339(this.bounds.validUntil),
      state,
      max_age_seconds: this.bounds.maxAgeSeconds,
    });
    return this.json[state];
  }
}
