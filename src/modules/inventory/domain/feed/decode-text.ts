import { Buffer, isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import type { FeedBytes } from './feed-bytes.js';
import { FeedProblem } from './feed-problem.js';
import type { FeedSettings } from './feed-settings.js';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** An encoding and whether the file names it by a byte order mark. */
export interface ChosenEncoding {
  readonly encoding: TextEncoding;
  readonly markBytes: number;
}

/** Bytes decoded at a time: large enough to be fast, small enough that one piece of rows stays small. */
const PIECE_BYTES = 65_536;

/**
 * Finds how a file is encoded. A byte order mark decides; then the configured encoding; then UTF-8 where the whole file is
 * valid UTF-8; else Windows-1252. Reads the file once.
 * @throws FeedProblem `empty_file`; `encoding_unsupported` for UTF-32, UTF-16 without a mark, NUL characters, and bytes
 *   that do not fit the encoding that was configured or marked.
 */
export async function chooseEncoding(
  bytes: FeedBytes,
  wish: FeedSettings['encoding'] = 'auto',
): Promise<ChosenEncoding> {
  const marked = markOf(await firstBytes(bytes, 4));
  const encoding = marked?.encoding ?? (wish === 'auto' ? undefined : wish);
  const markBytes = marked?.markBytes ?? 0;
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    await checkUtf16(bytes, encoding);
    return { encoding, markBytes };
  }
  const valid = await isValidUtf8(bytes);
  if (encoding === 'utf-8' && !valid) throw new FeedProblem('encoding_unsupported');
  return { encoding: encoding ?? (valid ? 'utf-8' : 'windows-1252'), markBytes };
}

/** The text of a file in pieces of bounded size, without its byte order mark. */
export async function* decodeText(bytes: FeedBytes, chosen: ChosenEncoding): AsyncGenerator<string, void, undefined> {
  const decode = decoderOf(chosen.encoding);
  let skip = chosen.markBytes;
  for await (const piece of pieces(bytes)) {
    const body = skip === 0 ? piece : piece.subarray(skip);
    skip = 0;
    const text = decode(body);
    if (text !== '') yield text;
  }
  const rest = decode(undefined);
  if (rest !== '') yield rest;
}

/** Chunks of whatever size, regrouped so that neither many small ones nor a single huge one cost more than they should. */
async function* pieces(bytes: FeedBytes): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes.chunks()) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < PIECE_BYTES) continue;
    const joined = waiting.length === 1 ? asBuffer(chunk) : Buffer.concat(waiting);
    let at = 0;
    for (; joined.length - at >= PIECE_BYTES; at += PIECE_BYTES) yield joined.subarray(at, at + PIECE_BYTES);
    waiting = at < joined.length ? [joined.subarray(at)] : [];
    size = joined.length - at;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

async function firstBytes(bytes: FeedBytes, count: number): Promise<Buffer> {
  for await (const piece of pieces(bytes)) return piece.subarray(0, count);
  throw new FeedProblem('empty_file');
}

function markOf(head: Buffer): ChosenEncoding | undefined {
  const hex = head.toString('hex');
  if (hex === 'fffe0000' || hex === '0000feff') throw new FeedProblem('encoding_unsupported');
  if (hex.startsWith('efbbbf')) return { encoding: 'utf-8', markBytes: 3 };
  if (hex.startsWith('fffe')) return { encoding: 'utf-16le', markBytes: 2 };
  if (hex.startsWith('feff')) return { encoding: 'utf-16be', markBytes: 2 };
  return undefined;
}

/** NUL bytes in a file that is not UTF-16 by its mark are the trace of UTF-16 or UTF-32 without one, or of no text at all. */
async function isValidUtf8(bytes: FeedBytes): Promise<boolean> {
  let valid = true;
  let carry: Buffer = Buffer.alloc(0);
  for await (const piece of pieces(bytes)) {
    if (piece.includes(0)) throw new FeedProblem('encoding_unsupported');
    if (!valid) continue;
    const joined = carry.length === 0 ? piece : Buffer.concat([carry, piece]);
    const cut = joined.length - unfinishedBytes(joined);
    valid = isUtf8(joined.subarray(0, cut));
    carry = Buffer.from(joined.subarray(cut));
  }
  return valid && carry.length === 0;
}

/** How many bytes at the end belong to a character that goes on in the next piece: 0 to 3. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

async function checkUtf16(bytes: FeedBytes, encoding: 'utf-16le' | 'utf-16be'): Promise<void> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const piece of pieces(bytes)) {
      if (decoder.decode(piece, { stream: true }).includes('\0')) throw new FeedProblem('encoding_unsupported');
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new FeedProblem('encoding_unsupported');
    throw error;
  }
}

type Decode = (bytes: Buffer | undefined) => string;

function decoderOf(encoding: TextEncoding): Decode {
  if (encoding === 'windows-1252') return (bytes) => (bytes === undefined ? '' : windows1252(bytes));
  if (encoding === 'utf-8') {
    const utf8 = new StringDecoder('utf8');
    return (bytes) => (bytes === undefined ? utf8.end() : utf8.write(bytes));
  }
  const utf16 = new TextDecoder(encoding, { ignoreBOM: true });
  return (bytes) => (bytes === undefined ? utf16.decode() : utf16.decode(bytes, { stream: true }));
}

/** Characters of bytes 0x80 to 0x9F. The five unassigned bytes stay C1 controls, which text cleaning removes. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Done here because TextDecoder of some Node 20 and 22 releases decodes this label as Latin-1. */
function windows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (c) => WINDOWS_1252.charAt(c.charCodeAt(0) - 0x80));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
