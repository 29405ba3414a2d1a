import { LIMITS } from '../../../../../kernel/limits.js';
import { cleanText } from './clean-text.js';
import { readUrl, resolveUrl } from './read-url.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';
import { jsonStrings, splitList } from './split-list.js';

/** The unit's page, photos and features. */
export function readMedia(view: RowView, context: RowContext, draft: RowDraft): void {
  readListing(view, context, draft);
  readImages(view, context, draft);
  readFeatures(view, context, draft);
}

function readListing(view: RowView, context: RowContext, draft: RowDraft): void {
  const raw = view.text('listingUrl');
  const url = raw === '' ? undefined : resolveUrl(raw, baseUrl(context, draft.unit.dealerKey));
  if (context.rules.normative === true) {
    if (raw === '') draft.problem('required_missing', 'listingUrl');
    else if (url?.startsWith('https:') !== true) draft.problem('listing_url_invalid', 'listingUrl');
  } else if (raw !== '' && url === undefined) draft.flag('listing_url_invalid', 'listingUrl');
  if (url === undefined) view.drop('listingUrl');
  else draft.unit.listingUrl = url;
}

/** The key of a row becomes part of a host name only when it cannot change which host that is. */
function baseUrl(context: RowContext, dealerKey: string | undefined): string | undefined {
  const base = context.reading.settings.baseUrl;
  if (base?.includes('{accountId}') !== true) return base;
  return dealerKey !== undefined && /^[a-z0-9-]{1,63}$/i.test(dealerKey)
    ? base.replaceAll('{accountId}', dealerKey)
    : undefined;
}

function readImages(view: RowView, context: RowContext, draft: RowDraft): void {
  const urls = new Set<string>();
  let dropped = 0;
  for (const place of view.places('images')) {
    const cell = view.cell(place);
    if (cell === '') continue;
    if (urls.size === 0) view.take('images', place);
    const parts = imageParts(cell, context);
    if (parts === undefined) draft.problem('json_invalid', 'images');
    for (const part of parts ?? []) {
      const url = readUrl(part);
      if (url === undefined || (urls.size >= LIMITS.feedMedia.value && !urls.has(url))) dropped += 1;
      else urls.add(url);
    }
  }
  draft.unit.imageUrls = [...urls];
  if (dropped > 0) draft.flag(`image_urls_dropped:${String(dropped)}`, 'images');
}

function imageParts(cell: string, context: RowContext): readonly string[] | undefined {
  if (context.rules.normative === true || cell.startsWith('[')) return jsonStrings(cell);
  return splitList(cell, context.rules.photoSeparators);
}

function readFeatures(view: RowView, context: RowContext, draft: RowDraft): void {
  const cell = view.text('features');
  const parts =
    context.rules.normative === true && cell !== ''
      ? jsonStrings(cell)
      : splitList(cell, [context.rules.featureSeparator]);
  if (parts === undefined) draft.problem('json_invalid', 'features');
  const features = new Set<string>();
  let dropped = 0;
  for (const part of parts ?? []) {
    const feature = cleanText(part);
    if (feature.length > 200 || features.size >= LIMITS.feedFeatures.value) dropped += 1;
    else if (feature !== '') features.add(feature);
  }
  draft.unit.features = [...features];
  if (dropped > 0) draft.flag(`features_dropped:${String(dropped)}`, 'features');
}
