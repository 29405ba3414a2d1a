import type { HistoryReportRef } from '../../listed-unit.js';
import type { JsonObject } from './json-cell.js';
import { jsonObjects, textMember, wordMember } from './json-cell.js';
import { readUrl } from './read-url.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

const STATUSES = ['available', 'not_available', 'restricted', 'unknown'] as const;
const ACCESS = ['public_link', 'dealer_presented', 'on_request', 'restricted', 'none'] as const;

/** References to history reports. Nobody may share a summary unless the row says so (DAP-CSV-003). */
export function readHistory(view: RowView, draft: RowDraft): void {
  const reports: HistoryReportRef[] = [];
  const cell = view.text('historyReports');
  for (const object of cell === '' ? [] : (jsonObjects(cell) ?? [undefined])) {
    const report = object === undefined ? undefined : reportOf(object);
    if (report !== undefined) reports.push(report);
    else {
      draft.problem('json_invalid', 'historyReports');
      break;
    }
  }
  addLink(view, reports, 'carfaxUrl', 'com.carfax', 'CARFAX');
  addLink(view, reports, 'autocheckUrl', 'com.experian.autocheck', 'AutoCheck');
  draft.unit.historyReports = reports;
}

function reportOf(object: JsonObject): HistoryReportRef | undefined {
  const providerId = textMember(object, 'provider_id', 128);
  const providerName = textMember(object, 'provider_name', 128);
  const status = wordMember(object, 'status', STATUSES);
  const access = wordMember(object, 'access', ACCESS);
  if (providerId === undefined || providerName === undefined || status === undefined || access === undefined)
    return undefined;
  const reportUrl = readUrl(textMember(object, 'report_url', 2048) ?? '');
  const summarySharingAuthorized = object['summary_sharing_authorized'] === true;
  return {
    providerId,
    providerName,
    status,
    access,
    summarySharingAuthorized,
    ...(reportUrl === undefined ? {} : { reportUrl }),
  };
}

function addLink(
  view: RowView,
  reports: HistoryReportRef[],
  field: 'carfaxUrl' | 'autocheckUrl',
  providerId: string,
  providerName: string,
): void {
  const reportUrl = readUrl(view.text(field));
  if (reportUrl === undefined) {
    view.drop(field);
    return;
  }
  reports.push({
    providerId,
    providerName,
    status: 'available',
    access: 'public_link',
    reportUrl,
    summarySharingAuthorized: false,
  });
}
