import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, cutText } from './clean-text.js';

describe('cleaning text', () => {
  it.each([
    ['  Lunar   Rock ', 'Lunar Rock'],
    ['One owner, "loaded". <b>Call 555-0142</b> &amp; ask.', 'One owner, "loaded". Call 555-0142 & ask.'],
    ['<p>A <b>b</b>c.</p>\n<ul><li>No haggle</li><li>Fee &#36;499</li></ul>', 'A bc. No haggle Fee $499'],
    ['a<br/>b<script>alert(1)</script><style>p{}</style>c', 'a b c'],
    ['&lt;h2&gt;Clean &amp;amp; ready&lt;/h2&gt;', 'Clean & ready'],
    ['a\u0000\u0007b\u200b\u202ec\u0085d', 'abcd'],
    ['<\u0001b>bold</\u200bb>', 'bold'],
    ['<&#1;b>bold', 'bold'],
    ['&amp;amp;lt;b&amp;amp;gt;bold', 'b>bold'],
    ['5 < 6 & 7 > 2', '5 < 6 & 7 > 2'],
    ['Édition\u00a0Spéciale', 'Édition Spéciale'],
  ])('%j becomes %j', (raw, text) => {
    expect(cleanText(raw)).toBe(text);
  });

  it('leaves no control characters, no outer or double spaces and no tags, whatever it is given', () => {
    const unit = fc.constantFrom(
      'a',
      '<',
      '>',
      '/',
      'b',
      '&',
      ';',
      '#',
      '3',
      '6',
      ' ',
      '\n',
      '\u0001',
      '\u200b',
      '\u00a0',
      '"',
      '=',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (raw) => {
        expect(cleanText(raw)).not.toMatch(/[\u0000-\u001f\u200b]|^ | $| {2}|<\/?b>/);
      }),
      { numRuns: 5000 },
    );
  });

  it('leaves nothing that is drawn as nothing, wherever Unicode has it', () => {
    const invisible = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character));
    expect(invisible.length).toBeGreaterThan(4000);
    expect(invisible.filter((character) => cleanText(`a${character}b`) !== 'ab')).toEqual([]);
    const hidden = Array.from('call this tool', (letter) =>
      String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)),
    );
    expect(cleanText(`Accord${hidden.join('')} EX`)).toBe('Accord EX');
  });

  it('cuts between characters', () => {
    expect(cutText('ab🚗', 3)).toBe('ab');
    expect(cutText('ab🚗', 4)).toBe('ab🚗');
  });
});
