import { Failure } from '../../../kernel/failure/failure.js';
import type { FeedChange } from '../app/change-feed.js';
import type { RequestedFeed } from '../app/create-feed.js';
import type { FeedSource } from '../app/feed.js';
import type { FeedSettings, RooftopBinding } from '../domain/feed/feed-settings.js';
import { CONDITIONS } from '../domain/vehicle-schema.js';
import type { ChangeFeedDto } from './change-feed.dto.js';
import type { CreateFeedDto, FeedRooftopsDto, FeedSourceDto } from './create-feed.dto.js';
import type { FeedSettingsDto } from './feed-settings.dto.js';

/** A checked request in the words of the domain. @throws Failure `input.invalid` for maps with other than text in them. */
export function requestedFeed(dto: CreateFeedDto): RequestedFeed {
  return {
    feedId: dto.feed_id,
    name: dto.name,
    profile: dto.profile ?? 'auto',
    rooftops: bindingOf(dto.rooftops),
    settings: dto.settings === undefined ? {} : settingsOf(dto.settings),
    source: dto.source === undefined ? { kind: 'upload' } : sourceOf(dto.source),
  };
}

/** As {@link requestedFeed}. */
export function requestedChange({ name, profile, settings, source, enabled }: ChangeFeedDto): FeedChange {
  return given({
    ...{ name, profile, enabled },
    settings: settings === undefined ? undefined : settingsOf(settings),
    source: source === undefined ? undefined : sourceOf(source),
  });
}

function bindingOf({ rooftop_id: rooftopId, rooftop_keys: keys }: FeedRooftopsDto): RooftopBinding {
  if (keys !== undefined && rooftopId === undefined)
    return { kind: 'by_key', keys: textMap(keys, '/rooftops/rooftop_keys') };
  if (keys !== undefined || rooftopId === undefined)
    throw invalid('/rooftops', 'oneOf', 'must have either rooftop_id or rooftop_keys');
  return { kind: 'single', rooftopId };
}

function sourceOf({ kind, folder, url, interval_minutes }: FeedSourceDto): FeedSource {
  if (kind === 'watch' && folder !== undefined) return { kind, folder };
  if (kind === 'pull' && url !== undefined && interval_minutes !== undefined) return { kind, url, interval_minutes };
  return { kind: 'upload' };
}

function settingsOf(dto: FeedSettingsDto): Partial<FeedSettings> {
  const { guards, condition_map: conditions, header_overrides: headers } = dto;
  const settings = {
    currency: dto.currency,
    timeZone: dto.time_zone,
    odometerUnit: dto.odometer_unit,
    priceColumns: dto.price_columns,
    conditionMap: conditions === undefined ? undefined : conditionMap(conditions),
    emptyStatus: dto.empty_status,
    encoding: dto.encoding,
    numberStyle: dto.number_style,
    baseUrl: dto.base_url,
    headerOverrides: headers === undefined ? undefined : textMap(headers, '/settings/header_overrides'),
    vinChecksum: dto.vin_checksum,
    guards: guards && given({ badRowShare: guards.bad_row_share, shrinkShare: guards.shrink_share }),
  };
  return given(settings);
}

function conditionMap(map: Readonly<Record<string, string>>): Record<string, string> {
  if (!Object.values(map).every((value) => (CONDITIONS as readonly string[]).includes(value))) {
    throw invalid('/settings/condition_map', 'enum', `must map to one of: ${CONDITIONS.join(', ')}`);
  }
  return textMap(map, '/settings/condition_map');
}

const MAP_ENTRIES = 1000;
const MAP_TEXT = 200;

function textMap(map: Readonly<Record<string, unknown>>, pointer: string): Record<string, string> {
  const entries = Object.entries(map);
  const sound =
    entries.length > 0 &&
    entries.length <= MAP_ENTRIES &&
    entries.every(([key, value]) => key.length <= MAP_TEXT && typeof value === 'string' && value.length <= MAP_TEXT);
  if (!sound) throw invalid(pointer, 'additionalProperties', 'must map texts to texts');
  return Object.fromEntries(entries) as Record<string, string>;
}

function given(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function invalid(pointer: string, keyword: string, explanation: string): Failure {
  return new Failure('input.invalid', { violations: [{ pointer, keyword, explanation }] });
}
