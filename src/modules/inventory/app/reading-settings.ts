import { isDeepStrictEqual } from 'node:util';
import type { ServedSettings } from '../../tenancy/index.js';
import type { FeedSettings } from '../domain/feed/feed-settings.js';

/**
 * What a file is read with: the feed's own settings, and beside them what its rooftops decided for all of their feeds. The
 * feed knows its file better, so its price columns replace the rooftop's order and its words win. A file of several
 * rooftops is read one way, so a decision counts only where all of them made it.
 */
export function readingSettings(own: FeedSettings, rooftops: readonly ServedSettings[]): FeedSettings {
  const priceOrder = shared(rooftops.map((r) => r.price_order));
  const conditions = shared(rooftops.map((r) => r.condition_map));
  return {
    ...(priceOrder === undefined ? {} : { priceColumns: priceOrder }),
    ...own,
    ...(conditions === undefined ? {} : { conditionMap: { ...conditions, ...own.conditionMap } }),
    ...(rooftops.some((r) => r.vin_checksum === 'quarantine') ? { vinChecksum: 'quarantine' } : {}),
    ...(rooftops.some((r) => r.price_conflict === 'quarantine') ? { priceConflict: 'quarantine' } : {}),
  };
}

function shared<T>(values: readonly T[]): T | undefined {
  const [first, ...others] = values;
  return others.every((value) => isDeepStrictEqual(value, first)) ? first : undefined;
}
