import type { Static, TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { compileValidator } from '../../../../../kernel/schema/validator.js';
import { cleanText } from './clean-text.js';
import { publicLink } from './public-link.js';
import { historyClaimWithheld } from './history-claim.js';

/** Facts of one kind as a cell or a member states them, with what was left out on the way. */
export interface ParsedFacts<T> {
  readonly facts: T;
  /** Flags of what could not be kept as it was written. */
  readonly flags: readonly string[];
}

/** Reads the JSON of a cell; text in it is plain text, `null` is no value, members that the facts do not have disappear. */
export type FactsReader<T> = (json: string) => ParsedFacts<T> | undefined;

/**
 * A reader of facts by their schema. What has no member there cannot be kept: costs, labour, notes of technicians
 * (DAP-UV-026).
 * @returns a function that answers undefined for anything that does not match.
 */
export function factsReader<S extends TObject>(schema: S): FactsReader<Static<S>> {
  const problemsOf = compileValidator(schema);
  return (json) => {
    const flags = new Set<string>();
    const value = Value.Clean(schema, parsedPlainly(json, flags));
    return problemsOf(value).length === 0 ? { facts: value as Static<S>, flags: [...flags] } : undefined;
  };
}

/** @returns undefined for text that is no JSON, or nested deeper than can be walked. */
function parsedPlainly(json: string, flags: Set<string>): unknown {
  try {
    return JSON.parse(json, (key, value: unknown) => plain(key, value, flags));
  } catch {
    return undefined;
  }
}

function plain(key: string, value: unknown, flags: Set<string>): unknown {
  if (value === null) return undefined;
  if (typeof value !== 'string') return value;
  if (key.endsWith('_url')) {
    const link = publicLink(value);
    if (link === undefined) flags.add(`${key}_dropped`);
    return link;
  }
  const text = historyClaimWithheld(cleanText(value));
  if (text.withheld) flags.add('history_claim_withheld');
  return text.text;
}
