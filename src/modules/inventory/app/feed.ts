import type { FeedSettings, RooftopBinding } from '../domain/feed/feed-settings.js';

/** How the files of a feed arrive. A folder is relative to the watch root. */
export type FeedSource =
  | { readonly kind: 'upload' }
  | { readonly kind: 'watch'; readonly folder: string }
  | { readonly kind: 'pull'; readonly url: string; readonly interval_minutes: number };

/** A configured source of inventory. Times are milliseconds since the Unix epoch. */
export interface Feed {
  readonly organizationId: string;
  readonly feedId: string;
  readonly name: string;
  /** A profile name, or `auto` for detection by header. */
  readonly profile: string;
  readonly rooftops: RooftopBinding;
  readonly settings: FeedSettings;
  readonly source: FeedSource;
  readonly enabled: boolean;
  readonly version: number;
  readonly lastPulledAt: number | null;
  readonly fetchState: FetchState;
  readonly createdAt: number;
}

/** What the last fetch of a pulled feed left behind. */
export interface FetchState {
  readonly etag?: string;
  readonly last_modified?: string;
  /** How the last fetch ended: `stored`, `not_modified`, or the reason why it failed. */
  readonly outcome?: string;
}

/** Every rooftop that a feed may write to, each once. */
export function boundRooftops(binding: RooftopBinding): readonly string[] {
  return binding.kind === 'single' ? [binding.rooftopId] : [...new Set(Object.values(binding.keys))].toSorted();
}
