/** One place in which two policies differ. A side that says nothing there is null. */
export interface PolicyDifference {
  /** JSON Pointer into the document (RFC 6901). */
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Where two policies differ, by pointer, ascending. Lists are sets: they are compared without order and shown whole, so that
 * a reader sees what is withheld now beside what was withheld before.
 */
export function comparePolicies(before: object, after: object): readonly PolicyDifference[] {
  return [...differences(before, after, '')].toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1));
}

type Members = Readonly<Record<string, unknown>>;

function* differences(before: unknown, after: unknown, pointer: string): Iterable<PolicyDifference> {
  if (isMembers(before) && isMembers(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* differences(before[name], after[name], `${pointer}/${escaped(name)}`);
    return;
  }
  if (!saysTheSame(before, after)) yield { pointer, before: before ?? null, after: after ?? null };
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function saysTheSame(before: unknown, after: unknown): boolean {
  const comparable = (value: unknown): string =>
    JSON.stringify(Array.isArray(value) ? value.toSorted() : (value ?? null));
  return comparable(before) === comparable(after);
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
