import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.js';

const json = fc.jsonValue({ maxDepth: 5 });

/** The same value with the members of every object in another order. */
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, seed + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, shuffled(member, seed + 1)] as const);
  const turned = [
    ...entries.slice(seed % Math.max(1, entries.length)),
    ...entries.slice(0, seed % Math.max(1, entries.length)),
  ];
  return Object.fromEntries(turned.reverse());
}

describe('canonical JSON', () => {
  it('is the form of the examples of RFC 8785', () => {
    // §3.2.2 and §3.2.3
    expect(
      canonicalJson({
        numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
        literals: [null, true, false],
      }),
    ).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    expect(
      Object.keys(
        JSON.parse(
          canonicalJson({
            '\u20ac': 1,
            '\r': 2,
            '\ufb33': 3,
            '1': 4,
            '\ud83d\ude00': 5,
            '\u0080': 6,
            '\u00f6': 7,
          }).replace('"1"', '"x1"'),
        ) as object,
      ),
    ).toEqual(['\r', 'x1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']);
  });

  it('says the same as the value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order of members, nor on how the text was laid out', () => {
    fc.assert(
      fc.property(json, fc.nat(20), (value, seed) => {
        expect(canonicalJson(shuffled(value, seed))).toBe(canonicalJson(value));
        expect(canonicalJson(JSON.parse(JSON.stringify(value, null, 2)))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is different for different values', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const same = isSame(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
      }),
    );
  });

  it('leaves out what is undefined, and refuses what JSON cannot say', () => {
    expect(canonicalJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
    for (const value of [NaN, Infinity, 1n, () => 1, Symbol('s')])
      expect(() => canonicalJson({ value })).toThrow(TypeError);
  });

  it('takes a member named like a setter for what it is', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}');
  });
});

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame((a as never)[name], (b as never)[name]))
  );
}
