import type { HistoryReportRef, ListedUnit } from '../listed-unit.js';
import type { RowFreshness } from '../vehicle-record/row-attribution.js';
import type { HistoryReport } from './used-vehicle-details-schema.js';

const REPORTS_MAX = 20;

/**
 * The history reports of a unit, each with its provider as its own source (DAP-UV-018). They hold as long as the row that
 * names them. A link leaves only where the public may follow it (DAP-UV-013).
 */
export function publishedHistoryReports(unit: ListedUnit, row: RowFreshness): HistoryReport[] {
  return unit.historyReports.slice(0, REPORTS_MAX).map((report) => {
    const observedAt = report.observedAt ?? row.observed_at;
    return {
      provider_id: report.providerId,
      provider_name: report.providerName,
      ...(report.reportId === undefined ? {} : { report_id: report.reportId }),
      status: report.status,
      access: report.access,
      ...linkOf(report),
      ...(report.generatedAt === undefined ? {} : { report_generated_at: report.generatedAt }),
      observed_at: observedAt,
      summary_sharing_authorized: report.summarySharingAuthorized,
      ...(report.summarySharingAuthorized && report.summary !== undefined ? { summary: report.summary } : {}),
      provenance: { sources: [sourceOf(report, observedAt)], authority_status: 'unknown' },
      freshness: { ...row, observed_at: observedAt },
    };
  });
}

/** A provider as a source; what it says reaches us through the dealer, so that its authority is not known. */
export function sourceOf(report: HistoryReportRef, observedAt: string): ProviderSource {
  return {
    source_name: report.providerName,
    ...(report.reportId === undefined ? {} : { source_record_id: report.reportId }),
    authority: 'third_party',
    observed_at: observedAt,
  };
}

interface ProviderSource {
  readonly source_name: string;
  readonly source_record_id?: string;
  readonly authority: 'third_party';
  readonly observed_at: string;
}

function linkOf(report: HistoryReportRef): { report_url?: string } {
  const { access, reportUrl } = report;
  const published = access === 'public_link' && reportUrl !== undefined && /^https:\/\//i.test(reportUrl);
  return published ? { report_url: reportUrl } : {};
}
