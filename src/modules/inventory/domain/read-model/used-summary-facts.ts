import type { CertificationType, HistoryReportStatus } from '../used-vehicle/used-vehicle-vocabulary.js';
import { CERTIFICATION_TYPES, HISTORY_REPORT_STATUSES } from '../used-vehicle/used-vehicle-vocabulary.js';

/** The used-vehicle summary of a unit, as far as searches read it. */
export interface UsedSummaryFacts {
  /** Whole days in stock, as published. */
  readonly ageDays: number;
  readonly historyReportStatus: HistoryReportStatus;
  readonly certificationType: CertificationType;
}

const BEGIN = ',"used_vehicle":{';
const AGE = /"age_days":(\d+)/;
const HISTORY = new RegExp(`"history_report_status":"(${HISTORY_REPORT_STATUSES.join('|')})"`);
const CERTIFICATION = new RegExp(`"certification_type":"(${CERTIFICATION_TYPES.join('|')})"`);

/**
 * What the used-vehicle summary in a head says: searches read the very words that leave, so that nothing can be found by
 * what is not published. Text of a dealer cannot be mistaken for a member: its quotation marks are escaped.
 * @returns null for a head without a summary.
 * @throws Error for a summary that lacks a member: heads are checked when they are written.
 */
export function usedSummaryFacts(head: string): UsedSummaryFacts | null {
  const begin = head.indexOf(BEGIN);
  if (begin === -1) return null;
  const summary = head.slice(begin);
  const [age, history, certification] = [AGE, HISTORY, CERTIFICATION].map((member) => member.exec(summary)?.[1]);
  if (age === undefined || history === undefined || certification === undefined)
    throw new Error('a used-vehicle summary lacks a member');
  return {
    ageDays: Number(age),
    historyReportStatus: history as UsedSummaryFacts['historyReportStatus'],
    certificationType: certification as UsedSummaryFacts['certificationType'],
  };
}
