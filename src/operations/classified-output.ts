import { DATA_CLASSES, type Classification } from './data-classes.js';
import type { DataClass, Operation } from './operation.js';

interface SchemaNode {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
}

/** Places of a schema at which values stand, by JSON Pointer with `*` for elements and for names that are not fixed. */
export function leavesOf(schema: SchemaNode, at = ''): readonly string[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const inner = [
    ...parts.flatMap((part) => leavesOf(part, at)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => leavesOf(member, `${at}/${name}`)),
    ...Object.values(schema.patternProperties ?? {}).flatMap((member) => leavesOf(member, `${at}/*`)),
    ...(typeof schema.additionalProperties === 'object' ? leavesOf(schema.additionalProperties, `${at}/*`) : []),
    ...(schema.type === 'object' && schema.additionalProperties !== false && isOpen(schema) ? [`${at}/*`] : []),
    ...(schema.items === undefined ? [] : leavesOf(schema.items, `${at}/*`)),
  ];
  const isContainer = schema.type === 'object' || schema.items !== undefined || parts.length > 0;
  return [...new Set(isContainer ? inner : [at])];
}

/** A map of any names has a schema for all of them; every other object that is not closed takes what nobody described. */
const isOpen = ({ additionalProperties, patternProperties }: SchemaNode): boolean =>
  typeof additionalProperties !== 'object' && !Object.hasOwn(patternProperties ?? {}, '^(.*)$');

/** The class of a place: its own, or that of the nearest place above that speaks for all below it. */
export function classAt(classes: Classification, leaf: string): DataClass | undefined {
  if (Object.hasOwn(classes, leaf)) return classes[leaf];
  for (let end = leaf.lastIndexOf('/'); end >= 0; end = leaf.lastIndexOf('/', end - 1)) {
    const above = `${leaf.slice(0, end)}/**`;
    if (Object.hasOwn(classes, above)) return classes[above];
    if (end === 0) break;
  }
  return undefined;
}

/**
 * Refuses to serve answers with a field that nobody has classified. Schemas are closed, so what is checked here once holds
 * for every answer.
 * @throws Error that names each field.
 */
export function requireClassified(operations: readonly Operation[]): void {
  const unclassified = operations.flatMap(({ name, outputSchema }) =>
    leavesOf(outputSchema)
      .filter((leaf) => classAt(DATA_CLASSES[name] ?? {}, leaf) === undefined)
      .map((leaf) => `${name} ${leaf}`),
  );
  if (unclassified.length > 0)
    throw new Error(
      `fields without a data class; classify them in operations/data-classes.ts: ${unclassified.join(', ')}`,
    );
}
