import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Violation } from '../failure/violation.js';
import { MAX_VIOLATIONS } from '../failure/violation.js';
import { parseRfc3339 } from '../time.js';

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  verbose: false,
  ownProperties: true,
});
addFormats.default(ajv, ['date']);
ajv.addVocabulary(['$anchor']); // a name of the 2020-12 core that Ajv resolves and its strict mode does not know
// One rule for every timestamp that comes in or goes out, and a fast one: a vehicle carries four.
ajv.addFormat('date-time', (text) => parseRfc3339(text) !== undefined);

/** Every vehicle has several URLs, and a full grammar as one regular expression would be the dearest part of an import. */
const URI_CHARACTERS = /^[a-z][a-z0-9+.-]*:(?:[!#$&-;=?-Z[\]_a-z~]|%[0-9a-f]{2})*$/i;
ajv.addFormat('uri', (text) => URI_CHARACTERS.test(text) && URL.canParse(text));

/** Checks a payload against one compiled schema. Returns every violation at once, without any value of the input. */
export type Validator = (payload: unknown) => readonly Violation[];

const NONE: readonly Violation[] = [];

/** Compiles a JSON Schema 2020-12 document. No `$ref` leaves the document (DAP security profile §8). */
export function compileValidator(schema: object): Validator {
  const validate: ValidateFunction = ajv.compile(schema);
  return (payload) => (validate(payload) ? NONE : violationsOf(validate.errors ?? [], schema));
}

function violationsOf(errors: readonly ErrorObject[], schema: object): readonly Violation[] {
  const wrappers = new Set(['if', 'anyOf', 'allOf']);
  const choices = new Map(errors.map((e) => [e.schemaPath, choiceOf(e, schema)]));
  // Which of several members it lacks is said once, by the choice between them.
  const isWithinChoice = ({ schemaPath }: ErrorObject): boolean =>
    [...choices].some(([path, names]) => names !== undefined && schemaPath.startsWith(`${path}/`));
  const inner = errors.filter((e) => !wrappers.has(e.keyword) && !isWithinChoice(e));
  const listed = inner.length > 0 ? inner : errors;
  return listed
    .slice(0, MAX_VIOLATIONS)
    .map((e) => ({ pointer: pointerOf(e), keyword: e.keyword, explanation: explain(e, choices.get(e.schemaPath)) }));
}

/** Names of which exactly one must be there, where that is what a failed `oneOf` asks for and nothing else. */
function choiceOf({ keyword, schemaPath }: ErrorObject, schema: object): readonly string[] | undefined {
  if (keyword !== 'oneOf') return undefined;
  const alternatives = schemaPath
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[unescapePointer(step)], schema);
  if (!Array.isArray(alternatives)) return undefined;
  const names = (alternatives as readonly { readonly required?: readonly string[] }[]).map((alternative) =>
    Object.keys(alternative).length === 1 && alternative.required?.length === 1 ? alternative.required[0] : undefined,
  );
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Shorter than any key or token of ours, and no digits in a row that could be a telephone or card number. */
const SAFE_MEMBER_NAME = /^(?!.*\d{5})[A-Za-z_][A-Za-z0-9_]{0,39}$/;

/**
 * For a missing or unknown member the pointer names the member itself, as both error contracts show it. An unknown name is
 * input, so it is named only where it looks like a member name and not like data.
 */
function pointerOf(error: ErrorObject): string {
  const params = error.params as { missingProperty?: string; additionalProperty?: string };
  if (error.keyword === 'required' && params.missingProperty !== undefined)
    return `${error.instancePath}/${escapePointer(params.missingProperty)}`;
  if (
    error.keyword === 'additionalProperties' &&
    params.additionalProperty !== undefined &&
    SAFE_MEMBER_NAME.test(params.additionalProperty)
  ) {
    return `${error.instancePath}/${params.additionalProperty}`;
  }
  return error.instancePath;
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Ajv writes paths of schemas as URI fragments. */
function unescapePointer(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Built from the schema's own words only; Ajv's messages never contain the value, but enum lists are bounded here. */
function explain(error: ErrorObject, choice: readonly string[] | undefined): string {
  const params = error.params as { allowedValues?: readonly unknown[]; passingSchemas?: unknown };
  switch (error.keyword) {
    case 'enum':
      return `must be one of: ${(params.allowedValues ?? []).map(String).join(', ')}`.slice(0, 500);
    case 'additionalProperties':
      return 'has a member that this schema does not define';
    case 'oneOf':
      return choice === undefined
        ? 'must match exactly one of the alternatives'
        : `must have exactly one of: ${choice.join(', ')}`.slice(0, 500);
    case 'required':
      return 'is required';
    default:
      return (error.message ?? 'is not valid').slice(0, 500);
  }
}
