import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedRecord } from './feed-record.js';
import { XmlReader } from './xml-reader.js';

const SHAPE = { records: ['listing'], columns: ['vin', 'text'], recordLimit: 1000 };

function read(...pieces: readonly string[]): FeedRecord[] {
  const reader = new XmlReader(SHAPE);
  return [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.end()];
}

const brief = (records: readonly FeedRecord[]): string[] =>
  records.map((r) => `${String(r.at.line)}: ${'spoilt' in r ? r.spoilt : r.cells.join('|')}`);

describe('reading XML of two levels', () => {
  it('gives the text of the wanted elements and the line of the opening tag', () => {
    const text =
      '<?xml version="1.0"?>\n<listings>\n <listing>\n  <VIN>A</VIN>\n  <other>x</other>\n </listing>\n<listing\n><vin/></listing></listings>';
    expect(brief(read(text))).toEqual(['3: A|', '7: |']);
  });

  it('takes CDATA as it is and decodes the entities of XML', () => {
    expect(brief(read('<l><listing><text>&lt;b&gt; &amp; <![CDATA[<i> & ]]></text></listing></l>'))).toEqual([
      '1: |<b> & <i> & ',
    ]);
  });

  it('expands no entity that a document type declares', () => {
    const text =
      '<!DOCTYPE l [<!ENTITY big "boom"><!ENTITY file SYSTEM "file:///etc/passwd">]><l><listing><text>&big;&file;</text></listing></l>';
    expect(brief(read(text))).toEqual(['1: |&big;&file;']);
  });

  it('leaves entities of HTML as they are written, for text cleaning to decode', () => {
    expect(brief(read('<l><listing><text>a&nbsp;b</text></listing></l>'))).toEqual(['1: |a&nbsp;b']);
  });

  it('does not mind blank lines in front of the document', () => {
    expect(brief(read('\n\n<?xml version="1.0"?>\n<l><listing><vin>A</vin></listing></l>'))).toEqual(['4: A|']);
  });

  it('spoils a record that is not well formed, and reads the next one', () => {
    const text = '<l>\n<listing><text>5 < 6</text></listing>\n<listing><vin>ok</vin></listing>\n</l>';
    expect(brief(read(text))).toEqual(['2: record_malformed', '3: ok|']);
  });

  it('takes an ampersand that begins no entity as itself, instead of losing what follows', () => {
    const text =
      '<l><listing><vin>A & B</vin><text>x?a=1&b=2</text></listing>\n<listing><vin>C&D;</vin><text><![CDATA[E & F]]></text></listing></l>';
    expect(brief(read(text))).toEqual(['1: A & B|x?a=1&b=2', '2: C&D;|E & F']);
  });

  it('spoils a record that is too large, and reads the next one', () => {
    const text = `<l><listing><text>${'x'.repeat(2000)}</text></listing><listing><vin>ok</vin></listing></l>`;
    expect(brief(read(text))).toEqual(['1: record_too_large', '1: ok|']);
  });

  it('refuses a text without end before it has gathered much of it', () => {
    const reader = new XmlReader(SHAPE);
    reader.push('<l><listing><text>');
    expect(() => {
      for (let i = 0; i < 100; i++) reader.push('x'.repeat(1000));
    }).toThrow('document_malformed');
  });

  it.each(['<l><listing><vin>A</vin></listing>', '<l><listing><vin>A', '<l></l><l></l>', 'no markup'])(
    'refuses a document that is cut short or none: %s',
    (text) => {
      expect(() => read(text)).toThrow('document_malformed');
    },
  );

  it('joins an element that is there more than once, one line each', () => {
    expect(brief(read('<l><listing><text>a</text><text>b</text></listing></l>'))).toEqual(['1: |a\nb']);
  });

  it('gives the same records however the text is cut', () => {
    const text =
      '<l>\n<listing>\n<vin>A&amp;1 & 2&x</vin><!-- & --><text><![CDATA[<b> & c]]></text></listing>\r\n<listing><text>x</text></listing></l>';
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, i) => text.slice(places[i], end));
        expect(read(...pieces)).toEqual(read(text));
      }),
    );
  });
});
