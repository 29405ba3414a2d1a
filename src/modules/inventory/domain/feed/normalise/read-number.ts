import type { FeedSettings } from '../feed-settings.js';

export type NumberStyle = NonNullable<FeedSettings['numberStyle']>;

const POINT = /^(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d+)(?:\.\d+)?$/;
const COMMA = /^(?:\d{1,3}(?:\.\d{3})+|\d{1,3}(?: \d{3})+|\d+)(?:,\d+)?$/;

/** Spaces of print (no-break, narrow, thin) as plain ones, runs as one. */
export function plainSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * A written number without its thousands separators, decimals behind a point: "1,234.5", "85 000" and, where the feed is
 * configured for it, "1.234,5". The other style is refused, because "1.234" means two different numbers.
 */
export function plainDecimal(text: string, style: NumberStyle): string | undefined {
  if (/^\d+$/.test(text)) return text;
  if (style === 'decimal_point') return POINT.test(text) ? text.replace(/[, ]/g, '') : undefined;
  return COMMA.test(text) ? text.replace(/[. ]/g, '').replace(',', '.') : undefined;
}
