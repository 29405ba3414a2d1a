import type { ListedUnit } from '../listed-unit.js';
import { disagreementsOf } from './disagreements.js';
import type { CertificationType, HistoryReportStatus } from './used-vehicle-vocabulary.js';

/**
 * What is to be had of history reports on a unit. Sources that disagree are `conflicting`, whatever else holds. Without any
 * report it is `unknown`: a missing report speaks for nothing (DAP-UV-016, DAP-UV-017).
 */
export function historyReportStatus(unit: ListedUnit): HistoryReportStatus {
  const { historyReports } = unit;
  if (historyReports.length === 0) return 'unknown';
  if (disagreementsOf(unit).length > 0) return 'conflicting';
  if (historyReports.some((report) => report.status === 'available')) return 'available';
  if (historyReports.some((report) => report.status === 'restricted')) return 'restricted';
  return historyReports.every((report) => report.status === 'not_available') ? 'not_available' : 'unknown';
}

/**
 * Who certified a unit, as far as it may be said. A manufacturer's program that nobody names (DAP-UV-024), and a certified
 * unit that is said not to be certified, are `unknown`.
 */
export function certificationType(unit: ListedUnit): CertificationType {
  const stated = unit.certification?.type ?? unit.certificationType ?? 'unknown';
  if (stated === 'manufacturer_cpo' && unit.certification?.program_name === undefined) return 'unknown';
  if (stated === 'not_certified' && unit.condition === 'certified') return 'unknown';
  return stated;
}
