import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedRecord } from './feed-record.js';
import { JsonReader } from './json-reader.js';
import { readMembers } from './read-members.js';

const SHAPE = {
  records: ['inventory'],
  columns: ['vin', 'images[].uri', 'attributes[color].value', 'pricing.lines'],
  recordLimit: 500,
  depthLimit: 8,
};

function read(pieces: string | readonly string[], records = SHAPE.records): FeedRecord[] {
  const reader = new JsonReader({ ...SHAPE, records });
  const given = typeof pieces === 'string' ? [pieces] : pieces;
  return [...given.flatMap((piece) => [...reader.push(piece)]), ...reader.end()];
}

const brief = (records: readonly FeedRecord[]): string[] =>
  records.map((r) => `${String(r.at.line)}: ${'spoilt' in r ? r.spoilt : (r.cells[0] ?? '')}`);

async function* texts(...pieces: readonly string[]): AsyncGenerator<string> {
  await Promise.resolve();
  yield* pieces;
}

describe('reading JSON records', () => {
  it('cuts out each element, whatever braces and quotes its strings hold, with the line it starts on', () => {
    const text = '{"page":{"inventory":[{"vin":"no"}]},\n"inventory":[\n{"vin":"A}]\\"{"},\n {"vin":"B"}\n]}';
    expect(brief(read(text))).toEqual(['3: A}]"{', '4: B']);
  });

  it('reads a document that is a list itself', () => {
    expect(brief(read(' [{"vin":"A"}, {"vin":"B"}]', ['']))).toEqual(['1: A', '1: B']);
  });

  it('follows paths: all elements, the named one, and nested values as JSON', () => {
    const record = {
      vin: 7,
      images: [{ uri: 'a' }, { uri: null }, { uri: 'b' }],
      attributes: [
        { name: 'color', value: 'Red' },
        { name: 'size', value: 'L' },
      ],
      pricing: { lines: [{ value: 1 }] },
    };
    const [first] = read(JSON.stringify({ inventory: [record] }));
    expect(first).toMatchObject({ cells: ['7', 'a\nb', 'Red', '[{"value":1}]'] });
  });

  it('spoils an element that is no object, too large or too deep, and reads the next one', () => {
    const deep = '['.repeat(20) + ']'.repeat(20);
    const text = `{"inventory":[3,\nnull,\n"x",\n{"vin":},\n{"vin":"${'x'.repeat(600)}"},\n{"a":${deep}},\n{"vin":"ok"}]}`;
    expect(brief(read(text))).toEqual([
      '1: record_malformed',
      '2: record_malformed',
      '3: record_malformed',
      '4: record_malformed',
      '5: record_too_large',
      '6: record_too_large',
      '7: ok',
    ]);
  });

  it.each(['{"inventory":[{"vin":"A"}', '{"inventory":[{"vin":"A', '{"other":[]}', '"text"', '{}}'])(
    'refuses a document that is cut short or has no records: %s',
    (text) => {
      expect(() => read(text)).toThrow('document_malformed');
    },
  );

  it('does not take members of a record, or of the prototype, for anything else', () => {
    const [first] = read('{"inventory":[{"__proto__":{"vin":"evil"},"accounts":{"x":1}}]}');
    expect(first).toMatchObject({ cells: ['', '', '', ''] });
  });

  it('gives side members also when they follow the records', async () => {
    const bounds = { limit: 100, depthLimit: 8 };
    const text = '{"inventory":[{"accounts":{"no":1}}],"accounts":{"a":{"name":"A"}},"n":5}';
    const members = await readMembers(texts(text.slice(0, 30), text.slice(30)), ['accounts', 'n'], bounds);
    expect(Object.fromEntries(members)).toEqual({ accounts: { a: { name: 'A' } }, n: 5 });
    await expect(readMembers(texts(`{"accounts":"${'x'.repeat(200)}"}`), ['accounts'], bounds)).rejects.toMatchObject({
      problem: 'document_malformed',
    });
  });

  it('gives back any records, however the text is cut and indented', () => {
    const vin = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':', '\n', ' ', 'é'),
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        fc.array(vin, { maxLength: 5 }),
        fc.constantFrom(0, 2),
        fc.integer({ min: 1, max: 40 }),
        (vins, indent, size) => {
          const text = JSON.stringify(
            { a: '[', inventory: vins.map((v) => ({ vin: v })), z: { inventory: 1 } },
            null,
            indent,
          );
          const pieces = text.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? [];
          expect(read(pieces).map((r) => ('spoilt' in r ? r.spoilt : r.cells[0]))).toEqual(vins);
          expect(read(pieces)).toEqual(read(text));
        },
      ),
    );
  });
});
