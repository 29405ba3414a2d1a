import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checksumOf, decodeContent, encodeContent } from './access-snapshot.js';

const content = fc.dictionary(
  fc.string(),
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.uint8Array(),
    fc.array(fc.record({ id: fc.string(), secret: fc.uint8Array() })),
  ),
  { noNullPrototype: true },
);

it('content comes back as it was written, bytes included', () => {
  fc.assert(
    fc.property(content, (value) => {
      fc.pre(!Object.hasOwn(value, '$bytes') && !Object.hasOwn(value, '__proto__'));
      const text = encodeContent(value);
      expect(decodeContent(text)).toEqual(value);
      expect(checksumOf(encodeContent(decodeContent(text)))).toBe(checksumOf(text));
    }),
  );
});

it('a Buffer is bytes', () => {
  expect(decodeContent(encodeContent({ hash: Buffer.from('abc') }))).toEqual({ hash: Uint8Array.from([97, 98, 99]) });
});
