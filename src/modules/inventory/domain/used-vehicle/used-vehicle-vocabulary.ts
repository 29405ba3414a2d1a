/** Words of used-vehicle.schema.json. */
export const CERTIFICATION_TYPES = [
  'manufacturer_cpo',
  'dealer_certified',
  'third_party_certified',
  'not_certified',
  'unknown',
] as const;
export type CertificationType = (typeof CERTIFICATION_TYPES)[number];

/** What a unit's summary says of its history reports. A single report is never `conflicting`. */
export const HISTORY_REPORT_STATUSES = ['available', 'not_available', 'restricted', 'unknown', 'conflicting'] as const;
export type HistoryReportStatus = (typeof HISTORY_REPORT_STATUSES)[number];

export const ODOMETER_STATUSES = ['actual', 'not_actual', 'exceeds_mechanical_limits', 'exempt', 'unknown'] as const;
export type OdometerStatus = (typeof ODOMETER_STATUSES)[number];

/** Of a single report. */
export const REPORT_STATUSES = ['available', 'not_available', 'restricted', 'unknown'] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

export const REPORT_ACCESS = ['public_link', 'dealer_presented', 'on_request', 'restricted', 'none'] as const;
export type ReportAccess = (typeof REPORT_ACCESS)[number];
