import type { ReconditioningFacts } from '../../used-vehicle/used-vehicle-facts.js';
import {
  CertificationFacts,
  ConditionReportFacts,
  ReconditioningFacts as Reconditioning,
  TitleFacts,
} from '../../used-vehicle/used-vehicle-facts.js';
import { ODOMETER_STATUSES } from '../../used-vehicle/used-vehicle-vocabulary.js';
import { headerKey } from '../codec/header-key.js';
import type { SourceField } from '../profile/feed-profile.js';
import type { FactsReader } from './parsed-facts.js';
import { factsReader } from './parsed-facts.js';
import { refuseFuture } from './refuse-future.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

const readTitle = factsReader(TitleFacts);
const readConditionReport = factsReader(ConditionReportFacts);
const readCertification = factsReader(CertificationFacts);
const readReconditioning = factsReader(Reconditioning);
const ODOMETER_WORDS = new Map(ODOMETER_STATUSES.map((status) => [headerKey(status), status]));

/**
 * Title, condition report, certification, reconditioning and the state of the odometer, where the row has them. Facts that
 * are malformed, dated in the future or contradict themselves quarantine the row: published, they would mislead.
 */
export function readUsedFacts(view: RowView, context: RowContext, draft: RowDraft): void {
  const { unit } = draft;
  const title = cellFacts(view, draft, 'title', readTitle);
  if (title !== undefined) {
    if (title.status === 'clear' && title.brands.length > 0) draft.problem('json_invalid', 'title');
    unit.title = title;
  }
  const report = cellFacts(view, draft, 'conditionReport', readConditionReport);
  if (report !== undefined) {
    refuseFuture(report.inspected_at, context, draft, 'conditionReport');
    unit.conditionReport = report;
  }
  const reconditioning = cellFacts(view, draft, 'reconditioning', readReconditioning);
  if (reconditioning !== undefined) {
    if (claimsTooMuch(reconditioning)) draft.problem('json_invalid', 'reconditioning');
    refuseFuture(reconditioning.completed_at, context, draft, 'reconditioning');
    unit.reconditioning = reconditioning;
  }
  readCertificate(view, context, draft);
  readOdometerStatus(view, draft);
}

/** The facts of a JSON cell. An empty cell says nothing and costs nothing. */
function cellFacts<T>(view: RowView, draft: RowDraft, field: SourceField, read: FactsReader<T>): T | undefined {
  const cell = view.text(field);
  if (cell === '') return undefined;
  const parsed = read(cell);
  if (parsed === undefined) {
    draft.problem('json_invalid', field);
    return undefined;
  }
  for (const flag of parsed.flags) draft.flag(flag, field);
  return parsed.facts;
}

/** Reconditioning is not complete while a safety item or a recall is open (DAP-UV-027). */
function claimsTooMuch({ status, items }: ReconditioningFacts): boolean {
  const open = items.some(
    (item) => (item.category === 'safety' || item.category === 'recall') && item.status !== 'completed',
  );
  return status === 'completed' && open;
}

/** The certificate and the certification column of one row have to agree. */
function readCertificate(view: RowView, context: RowContext, draft: RowDraft): void {
  const { unit } = draft;
  const certification = cellFacts(view, draft, 'certification', readCertification);
  if (certification === undefined) return;
  if (unit.certificationType !== undefined && unit.certificationType !== certification.type)
    draft.problem('json_invalid', 'certification');
  // A manufacturer's program that is not named is no program (DAP-UV-024).
  if (certification.type === 'manufacturer_cpo' && certification.program_name === undefined)
    draft.flag('certification_program_missing', 'certification');
  refuseFuture(certification.certified_at, context, draft, 'certification');
  unit.certification = certification;
}

function readOdometerStatus(view: RowView, draft: RowDraft): void {
  const word = headerKey(view.text('odometerStatus'));
  if (word === '') return;
  const status = ODOMETER_WORDS.get(word);
  if (status === undefined) draft.flag('odometer_status_unrecognised', 'odometerStatus');
  draft.unit.odometerStatus = status ?? 'unknown';
}
