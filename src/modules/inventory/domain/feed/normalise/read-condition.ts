import { headerKey } from '../codec/header-key.js';
import type { ConditionMeaning } from '../profile/feed-profile.js';
import { CERTIFICATION_WORDS, YES_WORDS } from '../profile/vocabulary.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

/** New, used, certified or demo, by the profile's words. What no word names is quarantined, never guessed. */
export function readCondition(view: RowView, context: RowContext, draft: RowDraft): void {
  const certified = YES_WORDS.has(headerKey(view.text('certified')));
  const meaning =
    meaningOf(view, context) ?? (certified && context.rules.certifiedDecides ? { condition: 'certified' } : undefined);
  readCertification(view, draft);
  if (meaning === undefined) {
    draft.problem('condition_unknown', 'condition');
    return;
  }
  draft.unit.titleBrands = meaning.titleBrand === undefined ? [] : [meaning.titleBrand];
  if (meaning.titleBrand !== undefined) draft.flag(`title_brand_reported:${meaning.titleBrand}`, 'condition');
  if (certified && meaning.condition === 'new') draft.flag('certified_on_new_ignored', 'certified');
  draft.unit.condition = certified && meaning.condition === 'used' ? 'certified' : meaning.condition;
}

function meaningOf(view: RowView, context: RowContext): ConditionMeaning | undefined {
  const word = headerKey(view.text('condition'));
  const named =
    context.conditions.get(word) ?? (word.startsWith('certifiedby') ? context.conditions.get('certified') : undefined);
  if (named !== undefined || view.has('condition')) return named;
  const { conditionAssumed } = context.rules;
  return conditionAssumed === undefined ? undefined : { condition: conditionAssumed };
}

function readCertification(view: RowView, draft: RowDraft): void {
  const word = headerKey(view.text('certificationType'));
  if (word === '') return;
  if (Object.hasOwn(CERTIFICATION_WORDS, word)) {
    draft.unit.certificationType = CERTIFICATION_WORDS[word as keyof typeof CERTIFICATION_WORDS];
    return;
  }
  draft.unit.certificationType = 'unknown';
  draft.flag('certification_unrecognised', 'certificationType');
}
