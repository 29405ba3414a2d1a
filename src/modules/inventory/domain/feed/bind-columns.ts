import { headerKey } from './codec/header-key.js';
import { FeedProblem } from './feed-problem.js';
import type { FeedSettings } from './feed-settings.js';
import type { FeedProfile, SourceField } from './profile/feed-profile.js';
import { SOURCE_FIELDS } from './profile/feed-profile.js';

/** Where each field of a profile stands in the cells of a record, best source first. */
export interface BoundColumns {
  readonly names: readonly string[];
  readonly places: ReadonlyMap<SourceField, readonly number[]>;
}

/** Dropped at the door: no profile and no setting can reach these columns (decision record 0002). */
const CONFIDENTIAL = /cost|invoice|wholesale|bookvalue|^book|holdback|^acv|floorplan|bottomline|payoff/;
/** A suggested retail price is never the advertised price (DAP-PR-001). */
const SUGGESTED = /msrp|sticker|suggested/;

/**
 * Binds a profile to the columns of a file, with the feed's own column settings.
 * @throws FeedProblem `required_column_missing`, `duplicate_column`. Both name the columns of the profile or the settings,
 *   never words of the file: a file without header must not put its first car into a report.
 */
export function bindColumns(profile: FeedProfile, settings: FeedSettings, header: readonly string[]): BoundColumns {
  const wanted = wantedColumns(profile, settings);
  const byKey = placesByKey(header);
  const places = new Map<SourceField, readonly number[]>();
  for (const [field, columns] of wanted) {
    const found = [...new Set(columns.flatMap((column) => placeOf(byKey, column) ?? []))];
    if (found.length > 0) places.set(field, found);
  }
  // A column that somebody configured must be there: silently reading another one would publish another price.
  const configured = configuredColumns(settings).filter((column) => !byKey.has(headerKey(column)));
  const missing = [...missingFields(profile, wanted, places), ...configured];
  if (missing.length > 0) throw new FeedProblem('required_column_missing', { columns: [...new Set(missing)] });
  return { names: header.map((name) => name.trim()), places };
}

/** The columns that are read, after the settings: a configured header or price order replaces the profile's. */
export function wantedColumns(
  profile: FeedProfile,
  settings: FeedSettings,
): ReadonlyMap<SourceField, readonly string[]> {
  const wanted = new Map<SourceField, readonly string[]>();
  for (const field of SOURCE_FIELDS) {
    const columns = profile.columns[field];
    if (columns !== undefined) wanted.set(field, columns);
  }
  for (const [name, header] of Object.entries(settings.headerOverrides ?? {})) {
    const field = SOURCE_FIELDS.find((f) => headerKey(f) === fieldKey(name));
    if (field === undefined) throw new FeedProblem('required_column_missing', { columns: [name] });
    wanted.set(field, [header]);
  }
  if (settings.priceColumns !== undefined) wanted.set('price', settings.priceColumns);
  const suggested = (wanted.get('price') ?? []).filter((column) => SUGGESTED.test(headerKey(column)));
  if (suggested.length > 0) throw new FeedProblem('required_column_missing', { columns: suggested });
  return wanted;
}

function configuredColumns(settings: FeedSettings): readonly string[] {
  return [...Object.values(settings.headerOverrides ?? {}), ...(settings.priceColumns ?? [])];
}

/** Names of our members as the rest of the system writes them, beside the field names. */
const FIELD_ALIASES: Readonly<Record<string, SourceField>> = {
  advertisedprice: 'price',
  advertisedpriceminor: 'price',
  availability: 'status',
  availabilitystatus: 'status',
  imageurls: 'images',
  rooftopid: 'dealerKey',
  firstpubliclistingat: 'firstListedAt',
  odometervalue: 'odometer',
};

function fieldKey(name: string): string {
  const key = headerKey(name);
  return Object.hasOwn(FIELD_ALIASES, key) ? headerKey(FIELD_ALIASES[key] ?? key) : key;
}

function placesByKey(header: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  header.forEach((name, place) => {
    const key = headerKey(name);
    if (key === '' || CONFIDENTIAL.test(key)) return;
    const known = places.get(key);
    if (known === undefined) places.set(key, [place]);
    else known.push(place);
  });
  return places;
}

function placeOf(byKey: ReadonlyMap<string, readonly number[]>, column: string): number | undefined {
  const places = byKey.get(headerKey(column));
  if (places !== undefined && places.length > 1) throw new FeedProblem('duplicate_column', { columns: [column] });
  return places?.[0];
}

type Wanted = ReadonlyMap<SourceField, readonly string[]>;

function missingFields(profile: FeedProfile, wanted: Wanted, places: ReadonlyMap<SourceField, unknown>): string[] {
  return profile.required.filter((field) => !places.has(field)).map((field) => wanted.get(field)?.[0] ?? field);
}
