import type { Jurisdiction } from '../../../kernel/schema/dap-pricing.js';

/**
 * Whether a rule for some places may hold in the place of a request. A place that is less exact than the rule may be inside
 * it, so only a member that both name differently rules it out. No places means everywhere.
 */
export function mayHoldIn(places: readonly Jurisdiction[] | undefined, place: Jurisdiction | undefined): boolean {
  if (place === undefined || places === undefined || places.length === 0) return true;
  return places.some((rule) => meets(rule, place));
}

function meets(rule: Jurisdiction, place: Jurisdiction): boolean {
  return (
    rule.country === place.country &&
    agree(rule.subdivision, place.subdivision, (a, b) => a === b) &&
    agree(rule.locality, place.locality, (a, b) => a === b) &&
    agree(rule.postal_code, place.postal_code, (a, b) => a.startsWith(b) || b.startsWith(a))
  );
}

/** Compared by letters and digits: "Saint-Denis" is "saint denis". A shorter postal code is the area around a longer one. */
function agree(a: string | undefined, b: string | undefined, same: (a: string, b: string) => boolean): boolean {
  return a === undefined || b === undefined || same(comparable(a), comparable(b));
}

function comparable(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
