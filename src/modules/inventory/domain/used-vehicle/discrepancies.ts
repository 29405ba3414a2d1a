import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../../kernel/canonical-json.js';
import type { ListedUnit } from '../listed-unit.js';
import { rowSource } from '../vehicle-record/row-attribution.js';
import type { RowSource } from '../vehicle-record/vehicle-context.js';
import type { Disagreement, Witness } from './disagreements.js';
import { disagreementsOf } from './disagreements.js';
import type { Discrepancy } from './used-vehicle-details-schema.js';

const DESCRIPTION_CHARACTERS_MAX = 1000;

/** An entry, and the hash of what exactly the sources say: a review names it, and another statement has another one. */
export interface StatedDiscrepancy {
  readonly entry: Discrepancy;
  /** SHA-256 in hex. */
  readonly contentHash: string;
}

/** Of reviews: the hash of what was reviewed, by field. */
export type ReviewedFields = ReadonlyMap<string, string>;

/**
 * One entry for each fact on which sources disagree, with all of them named and nothing decided (DAP-UV-019, DAP-UV-020). One
 * whose very statements the dealer reviewed says so, and stays: a review is not an answer (decision record 0058).
 * @param dealerName the name under which the unit's row is a source.
 */
export function discrepanciesOf(
  unit: ListedUnit,
  dealerName: string,
  reviewed?: ReviewedFields,
): readonly StatedDiscrepancy[] {
  const found = disagreementsOf(unit);
  if (found.length === 0) return [];
  const names = sourceNames(unit, dealerName);
  return found.map((disagreement) => {
    const contentHash = contentHashOf(disagreement, names);
    const isReviewed = reviewed?.get(disagreement.field) === contentHash;
    return { entry: entryOf(disagreement, names, isReviewed ? 'dealer_reviewed' : 'unresolved'), contentHash };
  });
}

/** As {@link discrepanciesOf}, with the row under the name that published provenance gives it. */
export function publishedDiscrepancies(
  unit: ListedUnit,
  source: RowSource,
  reviewed?: ReviewedFields,
): readonly StatedDiscrepancy[] {
  return discrepanciesOf(unit, rowSource(source, '').source_name, reviewed);
}

function contentHashOf({ field, statements }: Disagreement, names: ReadonlyMap<Witness, string>): string {
  const said = statements.map(({ witness, value }) => [names.get(witness) ?? '', value]);
  return createHash('sha256')
    .update(canonicalJson([field, said]))
    .digest('hex');
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

function entryOf(
  { field, statements }: Disagreement,
  names: ReadonlyMap<Witness, string>,
  status: Discrepancy['status'],
): Discrepancy {
  const said = statements.map(({ witness, value }) => `${names.get(witness) ?? ''}: ${words(value)}`);
  const description = `Sources differ on ${words(field)}. ${said.join('; ')}.`;
  return {
    field,
    source_names: statements.map(({ witness }) => names.get(witness) ?? ''),
    description: description.slice(0, DESCRIPTION_CHARACTERS_MAX),
    status,
  };
}

function words(name: string): string {
  return name.replaceAll(/[_.]/g, ' ');
}
