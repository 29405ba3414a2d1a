import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonBytes } from './json-bytes.js';

const embedded = (bytes: JsonBytes): unknown => JSON.parse(`"${bytes.escaped.toString('utf8')}"`);

describe('JsonBytes', () => {
  it('holds the JSON of any value in UTF-8', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JsonBytes.of(value).plain.toString('utf8')).toBe(JSON.stringify(value));
      }),
    );
  });

  it('yields, read back from inside a string literal, the very same document', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const bytes = JsonBytes.of(value);
        expect(embedded(bytes)).toBe(bytes.plain.toString('utf8'));
      }),
    );
  });

  it('escapes quotes, backslashes, line ends and characters outside ASCII', () => {
    const bytes = JsonBytes.of({ text: 'a"b\\c\nd é 日本 🚗 \u2028 \u007f' });
    expect(embedded(bytes)).toBe(bytes.plain.toString('utf8'));
  });

  it('joins pieces to the same bytes in both forms', () => {
    const page = JsonBytes.of([{ name: 'Citroën "C3"' }]);
    const joined = JsonBytes.concat([JsonBytes.text('{"vehicles":'), page, JsonBytes.text('}')]);
    const whole = JsonBytes.of({ vehicles: [{ name: 'Citroën "C3"' }] });
    expect(joined.byteLength).toBe(whole.byteLength);
    expect(joined.plain.equals(whole.plain)).toBe(true);
    expect(joined.escaped.equals(whole.escaped)).toBe(true);
  });

  it('joins joined pieces, and nothing to nothing', () => {
    const inner = JsonBytes.concat([JsonBytes.text('['), JsonBytes.text('"x"')]);
    const outer = JsonBytes.concat([inner, JsonBytes.text(']')]);
    expect(outer.escaped.toString()).toBe('[\\"x\\"]');
    expect(JsonBytes.concat([]).plain.length).toBe(0);
    expect(JsonBytes.concat([]).escaped.length).toBe(0);
  });

  it('lists the buffers of its pieces for a single copy, in both forms', () => {
    const inner = JsonBytes.concat([JsonBytes.text('['), JsonBytes.text('"x"')]);
    const outer = JsonBytes.concat([inner, JsonBytes.text(']')]);
    const plain: Buffer[] = [];
    const escaped: Buffer[] = [];
    outer.collectPlain(plain);
    outer.collectEscaped(escaped);
    expect(plain.map(String)).toEqual(['[', '"x"', ']']);
    expect(Buffer.concat(escaped).equals(outer.escaped)).toBe(true);
  });

  it('makes each form once', () => {
    const bytes = JsonBytes.of('x');
    expect(bytes.escaped).toBe(bytes.escaped);
    expect(bytes.plain).toBe(bytes.plain);
  });

  it('refuses what JSON cannot express', () => {
    expect(() => JsonBytes.of(undefined)).toThrow(TypeError);
  });
});
