import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inMemoryFeed } from '../../../../../test/fixtures/feeds/in-memory-feed.js';
import type { FeedSettings } from './feed-settings.js';
import { chooseEncoding, decodeText } from './decode-text.js';

async function decode(bytes: Uint8Array, wish?: FeedSettings['encoding'], chunk?: number) {
  const feed = inMemoryFeed(bytes, chunk);
  const chosen = await chooseEncoding(feed, wish);
  let text = '';
  for await (const piece of decodeText(feed, chosen)) text += piece;
  return { encoding: chosen.encoding, text };
}

function utf16(text: string, order: 'le' | 'be', mark: boolean): Uint8Array {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le');
  return order === 'le' ? bytes : Buffer.from(bytes).swap16();
}

describe('choosing and decoding the encoding of a file', () => {
  it('strips a UTF-8 byte order mark', async () => {
    const bytes = Buffer.from('\ufeffVIN,Price\n', 'utf8');
    expect(await decode(bytes)).toEqual({ encoding: 'utf-8', text: 'VIN,Price\n' });
  });

  it.each(['le', 'be'] as const)('reads UTF-16%s by its byte order mark', async (order) => {
    const result = await decode(utf16('VIN,Édition\n', order, true));
    expect(result).toEqual({ encoding: `utf-16${order}`, text: 'VIN,Édition\n' });
  });

  it('reads typographic characters of Windows-1252 where the file is not valid UTF-8', async () => {
    const bytes = Uint8Array.from([0x93, 0x63, 0x61, 0x66, 0xe9, 0x94, 0x99, 0x80]);
    expect(await decode(bytes)).toEqual({ encoding: 'windows-1252', text: '“café”™€' });
  });

  it('falls back to Windows-1252 also when the offending byte is the very last one', async () => {
    const bytes = Buffer.concat([Buffer.alloc(70_000, 'a'), Buffer.from([0xe9])]);
    const { encoding, text } = await decode(bytes);
    expect([encoding, text.length, text.at(-1)]).toEqual(['windows-1252', 70_001, 'é']);
  });

  it.each([
    ['UTF-16 without a mark', utf16('VIN,Price\n', 'le', false)],
    ['UTF-32', Uint8Array.from([0xff, 0xfe, 0, 0, 0x56, 0, 0, 0])],
    ['a NUL byte', Buffer.from('VIN\0,Price\n')],
    ['half a character of UTF-16', Uint8Array.from([0xff, 0xfe, 0x56])],
    ['half a surrogate pair', Uint8Array.from([0xff, 0xfe, 0x3d, 0xd8])],
  ])('refuses %s by name', async (_, bytes) => {
    await expect(decode(bytes)).rejects.toMatchObject({ problem: 'encoding_unsupported' });
  });

  it('refuses bytes that do not fit the configured encoding, and takes a configured one without a mark', async () => {
    await expect(decode(Uint8Array.from([0xe9, 0x2c]), 'utf-8')).rejects.toMatchObject({
      problem: 'encoding_unsupported',
    });
    expect(await decode(utf16('é', 'be', false), 'utf-16be')).toEqual({ encoding: 'utf-16be', text: 'é' });
    expect(await decode(Buffer.from('é'), 'windows-1252')).toEqual({ encoding: 'windows-1252', text: 'Ã©' });
  });

  it('refuses a file without bytes', async () => {
    await expect(decode(new Uint8Array())).rejects.toMatchObject({ problem: 'empty_file' });
  });

  it('gives the same text however the bytes are cut', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }).filter((t) => !/\0|\p{Surrogate}/u.test(t));
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('utf8', 'le', 'be'),
        async (t, chunk, form) => {
          const plain = t.replace(/^\ufeff/, 'x');
          const bytes = form === 'utf8' ? Buffer.from(plain) : utf16(plain, form, true);
          expect((await decode(bytes, 'auto', chunk)).text).toBe(plain);
        },
      ),
    );
  });

  it('keeps characters whole that lie across the pieces it decodes', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = 'a'.repeat(shift) + '🚗é'.repeat(20_000);
      expect((await decode(Buffer.from(text), 'auto', 10_007)).text).toBe(text);
    }
  });
});
