import { headerKey } from '../codec/header-key.js';
import { RETAIL_DISPOSITIONS, YES_WORDS } from '../profile/vocabulary.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

/** Availability and disposition. What is sold, unavailable or not for retail is kept and withheld. */
export function readAvailability(view: RowView, context: RowContext, draft: RowDraft): void {
  readStatus(view, context, draft);
  if (!RETAIL_DISPOSITIONS.has(headerKey(view.text('disposition')))) draft.withheld.add('not_retail');
  if (YES_WORDS.has(headerKey(view.text('offSite')))) draft.flag('off_site', 'offSite');
}

function readStatus(view: RowView, context: RowContext, draft: RowDraft): void {
  const raw = view.text('status');
  const status = raw === '' ? context.emptyStatus : context.statuses.get(headerKey(raw));
  if (status === undefined && context.rules.normative === true) draft.problem('availability_unknown_value', 'status');
  else if (status === undefined) draft.flag('status_unrecognised', 'status');
  draft.unit.availability = status ?? 'unknown';
  if (status === 'sold' || status === 'unavailable') draft.withheld.add(status);
}
