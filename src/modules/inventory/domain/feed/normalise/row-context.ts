import { LIMITS } from '../../../../../kernel/limits.js';
import type { AvailabilityStatus } from '../../vehicle-schema.js';
import { headerKey } from '../codec/header-key.js';
import type { FeedReading } from '../feed-settings.js';
import type { ConditionMeaning, FeedProfile, ProfileRules } from '../profile/feed-profile.js';
import { DateReader } from './read-date.js';
import type { NumberStyle } from './read-number.js';

/** What every row of a file is read with: the feed's settings and the profile's rules, prepared once. */
export interface RowContext {
  readonly reading: FeedReading;
  readonly rules: ProfileRules;
  readonly numberStyle: NumberStyle;
  readonly conditions: ReadonlyMap<string, ConditionMeaning>;
  readonly statuses: ReadonlyMap<string, AvailabilityStatus>;
  readonly emptyStatus: AvailabilityStatus;
  readonly rooftopOf: (dealerKey: string) => string | undefined;
  /** Stores that the file itself lists; absent in formats without such a table. */
  readonly stores?: ReadonlySet<string>;
  readonly dates: DateReader;
  readonly newestModelYear: number;
  /** Milliseconds: a later observation is in the future. */
  readonly observedUntil: number;
}

export function rowContext(reading: FeedReading, profile: FeedProfile, stores?: ReadonlySet<string>): RowContext {
  const { settings, receivedAt } = reading;
  const { rules } = profile;
  return {
    reading,
    rules,
    numberStyle: settings.numberStyle ?? 'decimal_point',
    conditions: conditionsOf(reading, rules),
    statuses: new Map(Object.entries(rules.statuses)),
    emptyStatus: settings.emptyStatus ?? rules.emptyStatus,
    rooftopOf: rooftopLookup(reading.rooftops, rules.normative === true),
    ...(stores === undefined ? {} : { stores }),
    dates: new DateReader(settings.timeZone),
    // Makers sell the next model year from the year before on.
    newestModelYear: new Date(receivedAt).getUTCFullYear() + 1,
    observedUntil: receivedAt + LIMITS.futureSkewSeconds.value * 1000,
  };
}

function conditionsOf(reading: FeedReading, rules: ProfileRules): ReadonlyMap<string, ConditionMeaning> {
  const words = new Map(Object.entries(rules.conditions));
  for (const [word, condition] of Object.entries(reading.settings.conditionMap ?? {}))
    words.set(headerKey(word), { condition });
  return words;
}

/** In the normative CSV the key is a rooftop id and must itself be bound; elsewhere it is the sender's own key. */
function rooftopLookup(binding: FeedReading['rooftops'], byId: boolean): RowContext['rooftopOf'] {
  if (binding.kind === 'single') {
    return (key) => (!byId || key === binding.rooftopId ? binding.rooftopId : undefined);
  }
  if (binding.kind === 'any') return (key) => (key === '' ? 'any' : key);
  const keys = new Map(Object.entries(binding.keys));
  const ids = new Map(byId ? Object.values(binding.keys).map((id) => [id, id] as const) : []);
  return (key) => keys.get(key) ?? ids.get(key);
}
