import { parsed } from '../codec/json-reader.js';

/** Members of a list cell, trimmed, empty ones dropped. The first separator that splits the cell is the cell's own. */
export function splitList(cell: string, separators: readonly RegExp[]): readonly string[] {
  const separator = separators.find((s) => s.test(cell));
  const parts = separator === undefined ? [cell] : cell.split(separator);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A JSON list of strings, or of objects with a `url`. @returns undefined for anything else. */
export function jsonStrings(cell: string): readonly string[] | undefined {
  const value = parsed(cell);
  if (!Array.isArray(value)) return undefined;
  const texts: (string | undefined)[] = value.map((element: unknown) => {
    if (typeof element === 'string') return element;
    const url: unknown = typeof element === 'object' && element !== null && 'url' in element ? element.url : undefined;
    return typeof url === 'string' ? url : undefined;
  });
  const strings = texts.filter((text) => text !== undefined);
  return strings.length === texts.length ? strings : undefined;
}
