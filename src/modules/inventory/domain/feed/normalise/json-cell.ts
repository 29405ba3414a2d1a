import { parsed } from '../codec/json-reader.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The objects of a JSON list cell; an empty cell is no list. @returns undefined when the cell is anything else. */
export function jsonObjects(cell: string): readonly JsonObject[] | undefined {
  if (cell === '[]') return [];
  const value = parsed(cell);
  if (!Array.isArray(value)) return undefined;
  const elements: readonly unknown[] = value;
  return elements.every(isObject) ? elements : undefined;
}

/** A member that is text with content, at most `limit` characters. */
export function textMember(object: JsonObject, name: string, limit: number): string | undefined {
  const value = object[name];
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.length > limit ? undefined : text;
}

/** A member that is one of some words. */
export function wordMember<T extends string>(object: JsonObject, name: string, words: readonly T[]): T | undefined {
  return words.find((word) => word === object[name]);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
