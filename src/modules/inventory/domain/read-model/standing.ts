import type { CertificationType, HistoryReportStatus } from '../used-vehicle/used-vehicle-vocabulary.js';
import { CERTIFICATION_TYPES, HISTORY_REPORT_STATUSES } from '../used-vehicle/used-vehicle-vocabulary.js';
import type { AvailabilityStatus } from '../vehicle-schema.js';
import { AVAILABILITY_STATUSES } from '../vehicle-schema.js';

/** What a unit publishes about its availability, its history reports and its certification. */
export interface Standing {
  readonly availability: AvailabilityStatus;
  /** Null where the unit publishes no used-vehicle summary. */
  readonly history: HistoryReportStatus | null;
  readonly certification: CertificationType | null;
}

const HISTORIES = [null, ...HISTORY_REPORT_STATUSES] as const;
const CERTIFICATIONS = [null, ...CERTIFICATION_TYPES] as const;

/**
 * Every standing there is, by its code: few enough for one byte a unit, so that three filters and three facets read one
 * column.
 */
export const STANDINGS: readonly Standing[] = AVAILABILITY_STATUSES.flatMap((availability) =>
  HISTORIES.flatMap((history) => CERTIFICATIONS.map((certification) => ({ availability, history, certification }))),
);

/** The code of a standing: its index in STANDINGS. */
export function standingCode({ availability, history, certification }: Standing): number {
  const statuses = AVAILABILITY_STATUSES.indexOf(availability) * HISTORIES.length + HISTORIES.indexOf(history);
  return statuses * CERTIFICATIONS.length + CERTIFICATIONS.indexOf(certification);
}

/** The filters that a standing decides. Empty lists constrain nothing. */
interface StandingFilters {
  readonly availability: readonly AvailabilityStatus[];
  readonly historyReportStatuses: readonly HistoryReportStatus[];
  readonly certificationTypes: readonly CertificationType[];
}

/**
 * For each standing whether it passes, or null when nothing is constrained. A unit without a summary passes no filter on
 * one, whatever the list says: unknown is a published status, silence is not (DAP-UV-028, DAP-UV-029).
 */
export function wantedStandings(filters: StandingFilters): Uint8Array | null {
  const { availability, historyReportStatuses, certificationTypes } = filters;
  if (availability.length + historyReportStatuses.length + certificationTypes.length === 0) return null;
  return Uint8Array.from(STANDINGS, (standing) => {
    const passes =
      listed(availability, standing.availability) &&
      listed(historyReportStatuses, standing.history) &&
      listed(certificationTypes, standing.certification);
    return passes ? 1 : 0;
  });
}

function listed<T>(list: readonly T[], value: T | null): boolean {
  return list.length === 0 || (value !== null && list.includes(value));
}
