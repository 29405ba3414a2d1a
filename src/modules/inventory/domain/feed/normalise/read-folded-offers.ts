import { parsed } from '../codec/json-reader.js';
import type { ConditionalAdjustment } from '../../listed-unit.js';
import { cleanText, cutText } from './clean-text.js';
import { readMajorAmount } from './read-amount.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

interface PriceLine {
  readonly label: string;
  readonly kind: string;
  readonly minor: number;
  readonly final: boolean;
}

/**
 * Offers that a storefront folds into its "final" price. Whoever buys does not get them all, so each becomes a conditional
 * adjustment of the asking price (DAP-PR-003).
 */
export function readFoldedOffers(view: RowView, context: RowContext, draft: RowDraft, currency: string): void {
  const asking = draft.unit.advertisedPrice?.amount_minor;
  if (asking === undefined || !view.has('offers')) return;
  const lines = priceLines(view.text('offers'), currency, context);
  const folded = lines.find((line) => line.final)?.minor ?? salePrice(view, currency, context);
  if (folded === undefined || folded === asking) return;
  if (folded > asking) {
    draft.flag('final_price_above_asking', 'offers');
    return;
  }
  draft.unit.conditionalAdjustments = adjustments(offersBetween(lines), asking - folded, currency);
}

function salePrice(view: RowView, currency: string, context: RowContext): number | undefined {
  const reading = readMajorAmount(view.text('foldedPrice'), currency, context.numberStyle);
  return reading.kind === 'amount' ? reading.minor : undefined;
}

/** The lines between the asking price and the final one are what made the difference. */
function offersBetween(lines: readonly PriceLine[]): readonly PriceLine[] {
  const from = lines.findIndex((line) => line.kind === 'askingPrice');
  const to = lines.findIndex((line) => line.final);
  return from < 0 || to < from ? [] : lines.slice(from + 1, to);
}

/** Named offers count only when they explain the difference exactly; else one adjustment carries all of it. */
function adjustments(
  offers: readonly PriceLine[],
  difference: number,
  currency: string,
): readonly ConditionalAdjustment[] {
  const explained = offers.reduce((sum, line) => sum + line.minor, 0) === difference;
  const named = explained ? offers : [{ label: 'Offers', minor: difference }];
  return named.map(({ label, minor }) => ({
    name: label,
    direction: 'discount',
    amount: { amount_minor: minor, currency },
  }));
}

function priceLines(cell: string, currency: string, context: RowContext): readonly PriceLine[] {
  const value = parsed(cell);
  if (!Array.isArray(value)) return [];
  return value.flatMap((line: unknown) => {
    if (typeof line !== 'object' || line === null) return [];
    const { label, typeClass, value: amount, isFinalPrice } = line as Partial<Record<string, unknown>>;
    const reading = readMajorAmount(typeof amount === 'string' ? amount : '', currency, context.numberStyle);
    if (reading.kind !== 'amount') return [];
    const name = cutText(cleanText(typeof label === 'string' ? label : ''), 160);
    const kind = typeof typeClass === 'string' ? typeClass : '';
    return [{ label: name === '' ? 'Offers' : name, kind, minor: reading.minor, final: isFinalPrice === true }];
  });
}
