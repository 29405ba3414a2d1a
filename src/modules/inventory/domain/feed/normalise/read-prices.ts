import type { Money } from '../../../../../kernel/money.js';
import type { SourceField } from '../profile/feed-profile.js';
import type { AmountReading } from './read-amount.js';
import { readMajorAmount, readMinorAmount } from './read-amount.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

/**
 * The advertised price from the first usable price column, and the list price from another one. Nothing else becomes the
 * advertised price (DAP-PR-001). A unit without one is withheld, and no zero stands in for it.
 * @returns the currency of the row's amounts.
 */
export function readPrices(view: RowView, context: RowContext, draft: RowDraft): string {
  const currency = readCurrency(view, context, draft);
  const place = readAdvertised(view, context, draft, currency);
  readList(view, context, draft, currency, place);
  const { advertisedPrice: price, listPrice: list } = draft.unit;
  if (price === undefined) draft.withheld.add('price_unknown');
  else if (currency === '') draft.problem('currency_missing', 'currency');
  const tooHigh = price !== undefined && list !== undefined && price.amount_minor > list.amount_minor;
  const isCeiling =
    context.rules.listPriceIsCeiling === true || context.reading.settings.priceConflict === 'quarantine';
  if (tooHigh && isCeiling) draft.problem('price_conflict', 'price');
  return currency;
}

/** Reads an amount as the profile's columns write it. */
export function amountOf(raw: string, currency: string, context: RowContext): AmountReading {
  if (context.rules.amounts === 'minor') return readMinorAmount(raw);
  return readMajorAmount(raw, currency, context.numberStyle);
}

function readCurrency(view: RowView, context: RowContext, draft: RowDraft): string {
  const expected = context.reading.settings.currency;
  const named = view.text('currency').toUpperCase();
  if (named === '' || named === expected) return expected;
  if (expected !== '' || !/^[A-Z]{3}$/.test(named)) draft.problem('currency_unexpected', 'currency');
  return named;
}

function readAdvertised(view: RowView, context: RowContext, draft: RowDraft, currency: string): number | undefined {
  for (const place of view.places('price')) {
    const reading = amountOf(view.cell(place), currency, context);
    if (reading.kind === 'unknown') continue;
    view.take('price', place);
    if (reading.kind === 'refused') draft.problem(reading.reason, 'price');
    else draft.unit.advertisedPrice = money(reading.minor, currency);
    return place;
  }
  return undefined;
}

function readList(
  view: RowView,
  context: RowContext,
  draft: RowDraft,
  currency: string,
  used: number | undefined,
): void {
  for (const place of view.places('listPrice')) {
    if (place === used) continue;
    const reading = amountOf(view.cell(place), currency, context);
    if (reading.kind === 'amount') {
      view.take('listPrice', place);
      draft.unit.listPrice = money(reading.minor, currency);
      return;
    }
    const flag = flagOf(reading, view.cell(place));
    if (flag !== undefined) draft.flag(flag, 'listPrice' satisfies SourceField);
  }
}

/** A list price is not offered, so that a bad one costs the row nothing but itself. Zero is a common "none". */
function flagOf(reading: AmountReading, cell: string): string | undefined {
  if (reading.kind === 'refused') return 'list_price_invalid';
  if (reading.kind === 'unknown' && reading.placeholder && !/^\D*0*(?:\.0*)?\D*$/.test(cell))
    return 'list_price_placeholder';
  return undefined;
}

function money(minor: number, currency: string): Money {
  return { amount_minor: minor, currency };
}
