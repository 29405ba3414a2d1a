import { MAKES } from './usual-spelling-table.js';

const MAKE_BY_UPPER = new Map(Object.keys(MAKES).map((make) => [make.toUpperCase(), make]));
const MODELS_BY_UPPER = new Map(
  Object.entries(MAKES).map(([make, models]) => [make.toUpperCase(), new Map(models.map((m) => [m.toUpperCase(), m]))]),
);

/** The usual spelling of a make that is written in capitals; everything else is left as it is. */
export function usualMake(make: string): string {
  return isCapitals(make) ? (MAKE_BY_UPPER.get(make) ?? make) : make;
}

/** The usual spelling of a make's model that is written in capitals; models nobody has listed are left as they are. */
export function usualModel(make: string, model: string): string {
  return isCapitals(model) ? (MODELS_BY_UPPER.get(make.toUpperCase())?.get(model) ?? model) : model;
}

function isCapitals(text: string): boolean {
  return text === text.toUpperCase() && text !== text.toLowerCase();
}
