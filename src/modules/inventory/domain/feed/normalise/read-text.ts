import type { SourceField } from '../profile/feed-profile.js';
import { cleanText } from './clean-text.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

/** Text that a unit cannot be without. Longer than DAP allows means quarantine: a cut name is another name. */
export function requiredText(view: RowView, draft: RowDraft, field: SourceField, limit: number): string | undefined {
  const text = cleanText(view.text(field));
  if (text === '') draft.problem('required_missing', field);
  else if (text.length > limit) draft.problem('text_too_long', field);
  else return text;
  return undefined;
}

/** Text that a unit can be without. Longer than DAP allows is left out with a flag. */
export function optionalText(view: RowView, draft: RowDraft, field: SourceField, limit: number): string | undefined {
  const text = cleanText(view.text(field));
  if (text !== '' && text.length <= limit) return text;
  if (text !== '') draft.flag('text_too_long', field);
  view.drop(field);
  return undefined;
}
