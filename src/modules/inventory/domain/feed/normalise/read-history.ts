import type { HistoryReportRef } from '../../listed-unit.js';
import { HistorySummary } from '../../used-vehicle/used-vehicle-facts.js';
import { REPORT_ACCESS, REPORT_STATUSES } from '../../used-vehicle/used-vehicle-vocabulary.js';
import { parseRfc3339 } from '../../../../../kernel/time.js';
import { cleanText } from './clean-text.js';
import { historyClaimWithheld } from './history-claim.js';
import type { JsonObject } from './json-cell.js';
import { jsonObjects, textMember, wordMember } from './json-cell.js';
import { factsReader } from './parsed-facts.js';
import { carriesRight, publicLink } from './public-link.js';
import { readUrl } from './read-url.js';
import { refuseFuture } from './refuse-future.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

const REPORTS_MAX = 20;
const PROVIDER_ID = /^[a-z0-9]+(?:[.-][a-z0-9]+)+$/;
const readSummary = factsReader(HistorySummary);

/**
 * History reports. Nobody may share a summary unless the row says so (DAP-CSV-003): others are dropped here. One that is
 * malformed quarantines the row, because a missing report could look better than it is.
 */
export function readHistory(view: RowView, context: RowContext, draft: RowDraft): void {
  const reports: HistoryReportRef[] = [];
  const cell = view.text('historyReports');
  const objects = cell === '' ? [] : jsonObjects(cell);
  if (objects === undefined || objects.length > REPORTS_MAX) draft.problem('json_invalid', 'historyReports');
  else {
    for (const object of objects) {
      const report = reportOf(object, draft);
      if (report === undefined) {
        draft.problem('json_invalid', 'historyReports');
        break;
      }
      refuseFuture(report.observedAt, context, draft, 'historyReports');
      refuseFuture(report.generatedAt, context, draft, 'historyReports');
      reports.push(report);
    }
  }
  addLink(view, draft, reports, { field: 'carfaxUrl', providerId: 'com.carfax', providerName: 'CARFAX' });
  addLink(view, draft, reports, {
    field: 'autocheckUrl',
    providerId: 'com.experian.autocheck',
    providerName: 'AutoCheck',
  });
  draft.unit.historyReports = reports;
}

function reportOf(object: JsonObject, draft: RowDraft): HistoryReportRef | undefined {
  const providerId = textMember(object, 'provider_id', 128);
  const providerName = plainMember(object, 'provider_name', 120);
  const status = wordMember(object, 'status', REPORT_STATUSES);
  const access = wordMember(object, 'access', REPORT_ACCESS);
  if (providerId === undefined || !PROVIDER_ID.test(providerId)) return undefined;
  if (providerName === undefined || status === undefined || access === undefined) return undefined;
  const times = timesOf(object);
  const summary = summaryOf(object, draft);
  if (times === undefined || summary === undefined) return undefined;
  const reportId = plainMember(object, 'report_id', 200);
  const link = textMember(object, 'report_url', 2048);
  const reportUrl = link === undefined ? undefined : publicLink(link);
  if (link !== undefined && reportUrl === undefined) draft.flag('report_url_dropped', 'historyReports');
  return {
    providerId,
    providerName,
    ...(reportId === undefined ? {} : { reportId }),
    status,
    access,
    ...(reportUrl === undefined ? {} : { reportUrl }),
    ...times,
    summarySharingAuthorized: object['summary_sharing_authorized'] === true,
    ...summary,
  };
}

function plainMember(object: JsonObject, name: string, limit: number): string | undefined {
  const text = historyClaimWithheld(cleanText(textMember(object, name, limit) ?? '')).text;
  return text === '' ? undefined : text;
}

/** @returns undefined when a time is given that is none. */
function timesOf(object: JsonObject): Pick<HistoryReportRef, 'generatedAt' | 'observedAt'> | undefined {
  const times: { generatedAt?: string; observedAt?: string } = {};
  for (const [member, name] of [
    ['generatedAt', 'report_generated_at'],
    ['observedAt', 'observed_at'],
  ] as const) {
    const raw = object[name];
    if (raw === undefined || raw === null || raw === '') continue;
    if (typeof raw !== 'string' || parseRfc3339(raw) === undefined) return undefined;
    times[member] = raw;
  }
  return times;
}

/** @returns undefined when there is a summary that may be shared and cannot be read. */
function summaryOf(object: JsonObject, draft: RowDraft): Pick<HistoryReportRef, 'summary'> | undefined {
  const given = object['summary'];
  if (given === undefined || given === null) return {};
  if (object['summary_sharing_authorized'] !== true) {
    draft.flag('history_summary_dropped', 'historyReports');
    return {};
  }
  const parsed = readSummary(JSON.stringify(given));
  return parsed === undefined ? undefined : { summary: parsed.facts };
}

interface LinkColumn {
  readonly field: 'carfaxUrl' | 'autocheckUrl';
  readonly providerId: string;
  readonly providerName: string;
}

/** A column with the link to a provider's report. A link that lets only its holder read says that there is a report, no more. */
function addLink(view: RowView, draft: RowDraft, reports: HistoryReportRef[], column: LinkColumn): void {
  const { field, providerId, providerName } = column;
  const reportUrl = readUrl(view.text(field));
  if (reportUrl === undefined) {
    view.drop(field);
    return;
  }
  const isPrivate = carriesRight(reportUrl);
  if (isPrivate) draft.flag('report_url_dropped', field);
  reports.push({
    providerId,
    providerName,
    status: 'available',
    ...(isPrivate ? { access: 'restricted' } : { access: 'public_link', reportUrl }),
    summarySharingAuthorized: false,
  });
}
