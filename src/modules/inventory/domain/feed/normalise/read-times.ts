import { parseRfc3339 } from '../../../../../kernel/time.js';
import type { DateReading } from './read-date.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

/** When the source looked, when the unit was stocked and when it was first listed. */
export function readTimes(view: RowView, context: RowContext, draft: RowDraft): void {
  readObserved(view, context, draft);
  const stocked = readDay(view, context, draft, 'stockedAt', 'stocked_date_invalid');
  if (stocked !== undefined) {
    draft.unit.stockedAt = stocked.at;
    draft.unit.stockedAtPrecision = stocked.precision;
  }
  const listed = readDay(view, context, draft, 'firstListedAt', 'first_listed_date_invalid');
  if (listed !== undefined) draft.unit.firstListedAt = listed.at;
}

/** Where the format tells the time of observation, an offset is mandatory (DAP-CSV-002) and the receipt is no substitute. */
function readObserved(view: RowView, context: RowContext, draft: RowDraft): void {
  if (!view.has('observedAt')) {
    draft.unit.observedAt = context.reading.receivedAt;
    return;
  }
  const raw = view.text('observedAt');
  const observed = parseRfc3339(raw);
  if (raw === '' && context.rules.normative === true) draft.problem('required_missing', 'observedAt');
  else if (observed === undefined) draft.problem('observed_at_invalid', 'observedAt');
  else if (observed > context.observedUntil) draft.problem('observed_at_future', 'observedAt');
  else draft.unit.observedAt = observed;
}

function readDay(
  view: RowView,
  context: RowContext,
  draft: RowDraft,
  field: 'stockedAt' | 'firstListedAt',
  flag: string,
): DateReading | undefined {
  const raw = view.text(field);
  if (raw === '') return undefined;
  const reading = context.dates.read(raw);
  const normative = context.rules.normative === true;
  if (reading !== undefined && (reading.offset || !normative)) return reading;
  if (normative) draft.problem('date_invalid', field);
  else draft.flag(flag, field);
  view.drop(field);
  return undefined;
}
