import { hash } from 'node:crypto';

const CHARACTERS = 24;

/**
 * A lower-case id that the same parts always give, so that a charge or adjustment keeps its id from one read to the next and
 * no text of a feed stands in an id.
 */
export function derivedId(prefix: string, parts: readonly string[]): string {
  return `${prefix}.${hash('sha256', JSON.stringify(parts), 'hex').slice(0, CHARACTERS)}`;
}

/**
 * Derives one id an element; elements with the same parts are told apart by their order.
 * @param partsOf what the id of an element is made from
 */
export function derivedIds<T>(
  prefix: string,
  elements: readonly T[],
  partsOf: (element: T) => readonly string[],
): readonly string[] {
  const seen = new Map<string, number>();
  return elements.map((element) => {
    const parts = partsOf(element);
    const key = JSON.stringify(parts);
    const repeats = seen.get(key) ?? 0;
    seen.set(key, repeats + 1);
    return derivedId(prefix, repeats === 0 ? parts : [...parts, String(repeats)]);
  });
}
