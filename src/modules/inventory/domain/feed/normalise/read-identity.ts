import { usualMake, usualModel } from '../usual-spelling.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';
import { readVin } from './read-vin.js';
import { requiredText } from './read-text.js';

/** Whose row it is and which car: organization, rooftop, VIN, stock number, year, make and model. */
export function readIdentity(view: RowView, context: RowContext, draft: RowDraft): void {
  readOrganization(view, context, draft);
  readRooftop(view, context, draft);
  readVinCell(view, context, draft);
  readYear(view, context, draft);
  const stock = requiredText(view, draft, 'stockNumber', 80);
  if (stock !== undefined) draft.unit.stockNumber = stock;
  const make = requiredText(view, draft, 'make', 100);
  const model = requiredText(view, draft, 'model', 120);
  if (make !== undefined) draft.unit.make = usualMake(make);
  if (model !== undefined) draft.unit.model = usualModel(make ?? '', model);
}

function readOrganization(view: RowView, context: RowContext, draft: RowDraft): void {
  if (!view.has('organizationId') || context.reading.rooftops.kind === 'any') return;
  const organization = view.text('organizationId');
  if (organization === '') draft.problem('required_missing', 'organizationId');
  else if (organization !== context.reading.organizationId) draft.problem('organization_mismatch', 'organizationId');
}

function readRooftop(view: RowView, context: RowContext, draft: RowDraft): void {
  const key = view.text('dealerKey');
  if (key !== '' && key.length <= 128) draft.unit.dealerKey = key;
  const keyMatters = context.reading.rooftops.kind === 'by_key' || context.rules.normative === true;
  if (key === '' && keyMatters) {
    draft.problem('required_missing', 'dealerKey');
    return;
  }
  const listed = context.stores === undefined || key === '' || context.stores.has(key);
  const rooftopId = listed ? context.rooftopOf(key) : undefined;
  if (rooftopId === undefined) draft.problem('rooftop_unknown', 'dealerKey');
  else draft.unit.rooftopId = rooftopId;
}

function readVinCell(view: RowView, context: RowContext, draft: RowDraft): void {
  const raw = view.text('vin');
  if (raw === '') {
    draft.problem('required_missing', 'vin');
    return;
  }
  const reading = readVin(raw);
  if (reading.kind !== 'vin') {
    draft.problem(reading.kind === 'invalid' ? 'vin_invalid' : 'vin_placeholder', 'vin');
    return;
  }
  draft.unit.vin = reading.vin;
  draft.unit.vinChecksum = reading.checksum;
  if (reading.checksum === 'failed') {
    if (context.reading.settings.vinChecksum === 'quarantine') draft.problem('vin_checksum_failed', 'vin');
    else draft.flag('vin_checksum_failed', 'vin');
  } else if (!reading.digitFits) draft.flag('vin_checksum_not_applicable', 'vin');
}

function readYear(view: RowView, context: RowContext, draft: RowDraft): void {
  const raw = view.text('year');
  if (raw === '') {
    draft.problem('required_missing', 'year');
    return;
  }
  const year = /^\d{4}$/.test(raw) ? Number(raw) : 0;
  if (year < 1886 || year > context.newestModelYear) draft.problem('year_invalid', 'year');
  else draft.unit.year = year;
}
