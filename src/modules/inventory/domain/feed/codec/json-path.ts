/** One step: a member, all elements of a list, or the elements whose `name` is the given word. */
type Step = { readonly member: string } | { readonly all: true } | { readonly named: string };

export type JsonPath = readonly Step[];

/** Compiles the small notation of profiles: `pricing.dprice`, `images[].uri`, `attributes[odometer].value`. */
export function jsonPath(notation: string): JsonPath {
  return notation.split('.').flatMap((part) => {
    const match = /^([^[\]]*)(?:\[([^\]]*)\])?$/.exec(part);
    const [member, index] = [match?.[1] ?? part, match?.[2]];
    const steps: Step[] = member === '' ? [] : [{ member }];
    if (index === undefined) return steps;
    return [...steps, index === '' ? { all: true } : { named: index }];
  });
}

/** What stands at a path as the text of a cell: '' for nothing, one line for each of several, JSON for what is nested. */
export function cellAtPath(value: unknown, path: JsonPath): string {
  let found: unknown[] = [value];
  for (const step of path) found = found.flatMap((v) => follow(v, step));
  return found
    .map(asText)
    .filter((text) => text !== '')
    .join('\n');
}

function follow(value: unknown, step: Step): unknown[] {
  if ('member' in step) return isObject(value) && Object.hasOwn(value, step.member) ? [value[step.member]] : [];
  if (!Array.isArray(value)) return [];
  const elements: unknown[] = value;
  return 'all' in step ? elements : elements.filter((e) => isObject(e) && e['name'] === step.named);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
