import type { ListedUnit } from '../listed-unit.js';
import type { Disagreement, Witness } from './disagreements.js';
import { disagreementsOf } from './disagreements.js';
import type { Discrepancy } from './used-vehicle-details-schema.js';

const DESCRIPTION_CHARACTERS_MAX = 1000;

/**
 * One entry for each fact on which sources disagree, with all of them named and nothing decided (DAP-UV-019, DAP-UV-020).
 * @param dealerName the name under which the unit's row is a source.
 */
export function discrepanciesOf(unit: ListedUnit, dealerName: string): readonly Discrepancy[] {
  const found = disagreementsOf(unit);
  if (found.length === 0) return [];
  const names = sourceNames(unit, dealerName);
  return found.map((disagreement) => entryOf(disagreement, names));
}

/** Two reports of one provider, or a provider named like the feed, stay two sources. */
function sourceNames(unit: ListedUnit, dealerName: string): ReadonlyMap<Witness, string> {
  const names = new Map<Witness, string>([['dealer', dealerName]]);
  const taken = new Set([dealerName]);
  unit.historyReports.forEach(({ providerName }, witness) => {
    let name = providerName;
    for (let n = 2; taken.has(name); n++) name = `${providerName} (${n})`;
    taken.add(name);
    names.set(witness, name);
  });
  return names;
}

function entryOf({ field, statements }: Disagreement, names: ReadonlyMap<Witness, string>): Discrepancy {
  const said = statements.map(({ witness, value }) => `${names.get(witness) ?? ''}: ${words(value)}`);
  const description = `Sources differ on ${words(field)}. ${said.join('; ')}.`;
  return {
    field,
    source_names: statements.map(({ witness }) => names.get(witness) ?? ''),
    description: description.slice(0, DESCRIPTION_CHARACTERS_MAX),
    status: 'unresolved',
  };
}

function words(name: string): string {
  return name.replaceAll(/[_.]/g, ' ');
}
