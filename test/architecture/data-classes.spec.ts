import { describe, expect, it } from 'vitest';
import { classAt, leavesOf, requireClassified } from '../../src/operations/classified-output.js';
import { DATA_CLASSES } from '../../src/operations/data-classes.js';
import type { Operation } from '../../src/operations/operation.js';
import { readOperations } from './operation-table.js';

const operations = readOperations();

describe('The data classes', () => {
  it('cover every field of every answer', () => {
    const without = operations.flatMap(({ name, outputSchema }) =>
      leavesOf(outputSchema)
        .filter((leaf) => classAt(DATA_CLASSES[name] ?? {}, leaf) === undefined)
        .map((leaf) => `${name} ${leaf}`),
    );
    expect(without).toEqual([]);
  });

  it('name no field that no answer has', () => {
    const names = operations.map((o) => o.name);
    expect(Object.keys(DATA_CLASSES).filter((name) => !names.includes(name))).toEqual([]);
    const idle = operations.flatMap(({ name, outputSchema }) => {
      const leaves = leavesOf(outputSchema);
      return Object.keys(DATA_CLASSES[name] ?? {}).filter((place) =>
        place.endsWith('/**') ? !leaves.some((l) => l.startsWith(place.slice(0, -2))) : !leaves.includes(place),
      );
    });
    expect(idle).toEqual([]);
  });

  it('give no protected field to a public operation', () => {
    const open = operations.filter(
      ({ name, access }) => access === 'public' && Object.values(DATA_CLASSES[name] ?? {}).includes('protected_retail'),
    );
    expect(open.map((o) => o.name)).toEqual([]);
  });

  it('keep a service with an unclassified field from starting', () => {
    const [operation] = operations as [Operation];
    const schema = operation.outputSchema as unknown as { properties: object };
    const wider = { ...schema, properties: { ...schema.properties, dealer_cost: { type: 'integer' } } };
    expect(() => {
      requireClassified([{ ...operation, outputSchema: wider as unknown as Operation['outputSchema'] }]);
    }).toThrow(`${operation.name} /dealer_cost`);
  });
});

describe('leavesOf', () => {
  it('finds values in objects, lists, maps, alternatives and open objects', () => {
    const text = { type: 'string' };
    expect(
      leavesOf({
        type: 'object',
        additionalProperties: false,
        properties: {
          a: text,
          list: {
            type: 'array',
            items: { anyOf: [text, { type: 'object', additionalProperties: false, properties: { b: text } }] },
          },
          map: { type: 'object', additionalProperties: false, patternProperties: { '^x': text } },
          bag: { type: 'object', additionalProperties: true },
        },
      }),
    ).toEqual(['/a', '/list/*', '/list/*/b', '/map/*', '/bag/*']);
  });
});
