import type { Money } from '../../../../../kernel/money.js';
import type { ConditionalAdjustment, RequiredCharge } from '../../listed-unit.js';
import type { SourceField } from '../profile/feed-profile.js';
import type { QuarantineReason } from '../row-outcome.js';
import type { JsonObject } from './json-cell.js';
import { jsonObjects, textMember, wordMember } from './json-cell.js';
import { cleanText } from './clean-text.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

const PAYEES = ['dealer', 'dealer_vendor', 'other'] as const;
const GOVERNMENT = ['unknown', 'estimated', 'calculated', 'not_applicable'] as const;

/**
 * Charges, conditional adjustments and the status of government charges, from the JSON cells of the normative CSV. An empty
 * cell says nothing; an empty list says that there are none (DAP §4.7).
 */
export function readDisclosure(view: RowView, draft: RowDraft, currency: string): void {
  draft.unit.conditionalAdjustments = [];
  const charges = readList(view, draft, 'charges', (object) => chargeOf(object, currency));
  if (charges !== undefined) draft.unit.requiredCharges = charges;
  const adjustments = readList(view, draft, 'adjustments', (object) => adjustmentOf(object, currency));
  if (adjustments !== undefined) draft.unit.conditionalAdjustments = adjustments;
  const status = GOVERNMENT.find((word) => word === view.text('governmentCharges').toLowerCase());
  if (status !== undefined) draft.unit.governmentChargesStatus = status;
  else if (view.text('governmentCharges') !== '') draft.flag('government_charges_unrecognised', 'governmentCharges');
}

/** Reads every object of a list cell; one that is wrong quarantines the row, because a missing charge is a wrong price. */
function readList<T extends object>(
  view: RowView,
  draft: RowDraft,
  field: SourceField,
  read: (object: JsonObject) => T | QuarantineReason,
): readonly T[] | undefined {
  const cell = view.text(field);
  if (cell === '') return undefined;
  const list: T[] = [];
  for (const object of jsonObjects(cell) ?? [undefined]) {
    const entry = object === undefined ? 'json_invalid' : read(object);
    if (typeof entry !== 'string') list.push(entry);
    else {
      draft.problem(entry, field);
      return undefined;
    }
  }
  return list;
}

function chargeOf(object: JsonObject, currency: string): RequiredCharge | QuarantineReason {
  const name = textMember(object, 'label', 160) ?? textMember(object, 'name', 160);
  const amount = moneyOf(object, currency);
  const payee = wordMember(object, 'payee', PAYEES);
  const included = object['included_in_advertised_price'];
  if (typeof amount === 'string') return amount;
  if (name === undefined || payee === undefined || amount === undefined || typeof included !== 'boolean')
    return 'json_invalid';
  return { name: cleanText(name), amount, payee, includedInAdvertisedPrice: included };
}

function adjustmentOf(object: JsonObject, currency: string): ConditionalAdjustment | QuarantineReason {
  const name = textMember(object, 'name', 160) ?? textMember(object, 'label', 160);
  const direction = wordMember(object, 'direction', ['discount', 'surcharge'] as const);
  const amount = moneyOf(object, currency);
  if (typeof amount === 'string') return amount;
  if (name === undefined || direction === undefined) return 'json_invalid';
  const eligibility = textMember(object, 'eligibility', 500);
  const stacking = textMember(object, 'stacking', 80);
  return {
    name: cleanText(name),
    direction,
    ...(amount === undefined ? {} : { amount }),
    ...(eligibility === undefined ? {} : { eligibility: cleanText(eligibility) }),
    ...(stacking === undefined ? {} : { stacking: cleanText(stacking) }),
  };
}

/** An amount of minor units; the sign of an adjustment is its direction, so that no amount is below zero. */
function moneyOf(object: JsonObject, currency: string): Money | undefined | QuarantineReason {
  const minor = object['amount_minor'];
  if (minor === undefined || minor === null) return undefined;
  if (typeof minor !== 'number' || !Number.isSafeInteger(minor) || minor < 0) return 'price_invalid';
  const named = object['currency'];
  if (named !== undefined && named !== null && named !== currency) return 'currency_unexpected';
  return { amount_minor: minor, currency };
}
