import { LIMITS } from '../../../../../kernel/limits.js';
import { headerKey } from '../codec/header-key.js';
import type { SourceField } from '../profile/feed-profile.js';
import { DRIVETRAIN_WORDS, FUEL_WORDS, VEHICLE_TYPE_WORDS } from '../profile/vocabulary.js';
import { cleanText, cutText } from './clean-text.js';
import { optionalText } from './read-text.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

/** Everyday cars are not worth a note; a motorcycle or a trailer in a car feed is. */
const USUAL_TYPES: ReadonlySet<string> = new Set(['car', 'truck', 'suv', 'van']);

/** What the car looks like and runs on. All of it is optional; a word that is not known is left out. */
export function readAppearance(view: RowView, draft: RowDraft): void {
  const { unit } = draft;
  const trim = optionalText(view, draft, 'trim', 120);
  const bodyStyle = optionalText(view, draft, 'bodyStyle', 80);
  const exteriorColor = optionalText(view, draft, 'exteriorColor', 80);
  const interiorColor = optionalText(view, draft, 'interiorColor', 80);
  const transmission = optionalText(view, draft, 'transmission', 120);
  if (trim !== undefined) unit.trim = trim;
  if (bodyStyle !== undefined) unit.bodyStyle = bodyStyle;
  if (exteriorColor !== undefined) unit.exteriorColor = exteriorColor;
  if (interiorColor !== undefined) unit.interiorColor = interiorColor;
  if (transmission !== undefined) unit.transmission = transmission;
  const fuel = wordOf(view, 'fuelType', FUEL_WORDS);
  if (fuel !== undefined) unit.fuelType = fuel;
  const drivetrain = wordOf(view, 'drivetrain', DRIVETRAIN_WORDS);
  if (drivetrain !== undefined) unit.drivetrain = drivetrain;
  readVehicleType(view, draft, bodyStyle);
  readDescription(view, draft);
}

/** The body names the type where no type column does. */
function readVehicleType(view: RowView, draft: RowDraft, bodyStyle: string | undefined): void {
  const type = wordOf(view, 'vehicleType', VEHICLE_TYPE_WORDS) ?? meaningOf(bodyStyle ?? '', VEHICLE_TYPE_WORDS);
  if (type === undefined) return;
  draft.unit.vehicleType = type;
  if (!USUAL_TYPES.has(type)) draft.flag(`vehicle_type:${type}`, 'vehicleType');
}

function readDescription(view: RowView, draft: RowDraft): void {
  const text = cleanText(view.text('description'));
  if (text === '') {
    view.drop('description');
    return;
  }
  draft.unit.description = cutText(text, LIMITS.feedDescriptionCharacters.value);
  if (draft.unit.description.length < text.length) draft.flag('description_cut', 'description');
}

function wordOf<T>(view: RowView, field: SourceField, words: Readonly<Record<string, T>>): T | undefined {
  const word = meaningOf(view.text(field), words);
  if (word === undefined) view.drop(field);
  return word;
}

function meaningOf<T>(text: string, words: Readonly<Record<string, T>>): T | undefined {
  const key = headerKey(text);
  return Object.hasOwn(words, key) ? words[key] : undefined;
}
