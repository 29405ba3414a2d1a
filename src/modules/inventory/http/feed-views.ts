import { rfc3339 } from '../../../kernel/time.js';
import type { Feed } from '../app/feed.js';
import type { FeedRun, NumberedRunRow } from '../app/feed-run.js';
import type { PublicationOverview, UnitOrigin } from '../app/published-units.js';

const time = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

export function feedView(feed: Feed): object {
  const { rooftops, settings } = feed;
  return {
    feed_id: feed.feedId,
    name: feed.name,
    profile: feed.profile,
    rooftops: rooftops.kind === 'single' ? { rooftop_id: rooftops.rooftopId } : { rooftop_keys: rooftops.keys },
    settings: {
      currency: settings.currency,
      time_zone: settings.timeZone,
      odometer_unit: settings.odometerUnit,
      price_columns: settings.priceColumns,
      condition_map: settings.conditionMap,
      empty_status: settings.emptyStatus,
      encoding: settings.encoding,
      number_style: settings.numberStyle,
      base_url: settings.baseUrl,
      header_overrides: settings.headerOverrides,
      vin_checksum: settings.vinChecksum,
      guards: settings.guards && {
        bad_row_share: settings.guards.badRowShare,
        shrink_share: settings.guards.shrinkShare,
      },
    },
    source: feed.source,
    enabled: feed.enabled,
    version: feed.version,
    last_pulled_at: time(feed.lastPulledAt),
    last_pull_outcome: feed.fetchState.outcome ?? null,
    created_at: time(feed.createdAt),
  };
}

export function runView(run: FeedRun): object {
  return {
    run_id: run.runId,
    feed_id: run.feedId,
    state: run.state,
    origin: run.origin,
    file: { sha256: run.sha256, name: run.originalName, bytes: run.bytes },
    attempt: run.attempt,
    received_at: time(run.receivedAt),
    started_at: time(run.startedAt),
    finished_at: time(run.finishedAt),
    hold_reasons: run.holdReasons,
    progress: run.progress,
    report: run.report,
  };
}

export function rowView(row: NumberedRunRow): object {
  const { ordinal, line, record, columnName, disposition, reason, rooftopId, vin, detail } = row;
  return { ordinal, line, record, column: columnName, disposition, reason, rooftop_id: rooftopId, vin, detail };
}

export function originView(origin: UnitOrigin): object {
  const { overlay } = origin;
  return {
    vehicle_id: origin.vehicleId,
    rooftop_id: origin.rooftopId,
    vin: origin.vin,
    withheld: origin.withheld,
    observed_at: time(origin.observedAt),
    feed_id: origin.feedId,
    run_id: origin.runId,
    file: { sha256: origin.sha256, name: origin.fileName, received_at: time(origin.receivedAt) },
    line: origin.line,
    record: origin.record,
    columns: origin.columns,
    events: overlay && {
      status: overlay.status,
      status_time: time(overlay.statusTime),
      price_minor: overlay.priceMinor,
      price_time: time(overlay.priceTime),
    },
  };
}

export function overviewView({ version, rooftops }: PublicationOverview, now: number): object {
  return {
    version,
    rooftops: rooftops.map((rooftop) => ({
      rooftop_id: rooftop.rooftopId,
      feed_id: rooftop.feedId,
      run_id: rooftop.runId,
      offered: rooftop.offered,
      withheld: rooftop.withheld,
      received_at: time(rooftop.receivedAt),
      switched_at: time(rooftop.switchedAt),
      age_seconds: Math.max(0, Math.round((now - rooftop.receivedAt) / 1000)),
    })),
  };
}
