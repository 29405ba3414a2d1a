/** Everywhere, and for what is somewhere: not known where. */
export const ANYWHERE = '*';

/** Whether all of one place lies in the other: `*` holds `US`, `US` holds `US-TX`. */
export const lies = (inner: string, outer: string): boolean =>
  outer === ANYWHERE || inner === outer || inner.startsWith(`${outer}-`);

/**
 * Whether a rule of a jurisdiction could count for what is in a place. Of a place that is known in part only (`US`, `*`) it may
 * be any that lies in it: unknown is never lax.
 */
export const couldApply = (jurisdiction: string, place: string): boolean =>
  lies(place, jurisdiction) || lies(jurisdiction, place);

/** The narrowest place that holds them all; `*` for none at all. */
export function commonPlace(places: readonly string[]): string {
  const [first = ANYWHERE] = places;
  const [country = ANYWHERE] = first.split('-');
  return [first, country].find((candidate) => places.every((place) => lies(place, candidate))) ?? ANYWHERE;
}

/** Where a postal address is, as far as it says so in ISO 3166 codes. */
export function placeOf({ country, region }: { readonly country?: unknown; readonly region?: unknown }): string {
  if (typeof country !== 'string' || !/^[A-Z]{2}$/i.test(country)) return ANYWHERE;
  const known = typeof region === 'string' && /^[A-Z0-9]{1,3}$/i.test(region);
  return (known ? `${country}-${region}` : country).toUpperCase();
}
