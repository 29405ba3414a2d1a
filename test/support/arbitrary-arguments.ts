import fc from 'fast-check';

/** Stands in every text that an arbitrary makes up, so that an echo is found. No digits in a row, no word of ours. */
export const MARK = 'qZvXk';

interface SchemaNode {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

const marked = fc.string({ maxLength: 20 }).map((text) => `${MARK}${text}`);
const hostile = fc.oneof(
  marked,
  marked.map((text) => [text]),
  marked.map((text) => ({ surplus: text })),
  fc.constantFrom(null, true, -1, 1e308, 0.5, '', [], {}),
);

/**
 * Arguments that follow a schema more or less: mostly the right shape, with values of `known` names where they are given,
 * and wrong types, unknown members and texts of nobody in between.
 */
export function arbitraryArguments(
  schema: SchemaNode,
  known: Readonly<Record<string, readonly unknown[]>>,
): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, node]) => [name, fc.option(valueOf(name, node, known), { nil: undefined, freq: 4 })] as const,
  );
  const extra = marked.map((text) => ({ surplus: text })); // an unknown name may be named, its value may not
  return fc
    .tuple(
      fc.record(Object.fromEntries(members)),
      fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: extra }),
    )
    .map(([own, odd]) => ({ ...JSON.parse(JSON.stringify(own)), ...odd }) as unknown);
}

function valueOf(
  name: string,
  node: SchemaNode,
  known: Readonly<Record<string, readonly unknown[]>>,
): fc.Arbitrary<unknown> {
  const right = known[name];
  const sound = right === undefined ? shaped(name, node, known) : fc.constantFrom(...right);
  return fc.oneof({ weight: 5, arbitrary: sound }, { weight: 1, arbitrary: hostile });
}

function shaped(
  name: string,
  node: SchemaNode,
  known: Readonly<Record<string, readonly unknown[]>>,
): fc.Arbitrary<unknown> {
  if (node.enum !== undefined) return fc.constantFrom(...node.enum);
  switch (node.type) {
    case 'object':
      return arbitraryArguments(node, known);
    case 'array':
      return fc.array(valueOf(name.replace(/s$/, ''), node.items ?? {}, known), { maxLength: 4 });
    case 'integer':
      return fc.integer({ min: -2, max: 5000 });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    default:
      return marked;
  }
}
