import { isUtf8 } from 'node:buffer';
import { Failure } from '../../kernel/failure/failure.js';

/**
 * Parses a JSON body strictly: valid UTF-8, no NUL, bounded nesting, not empty.
 * @throws Failure `input.unparsable` with the reason; nothing of the body is in it.
 */
export function parseJsonBody(body: Buffer, maxDepth: number): unknown {
  if (body.length === 0) throw new Failure('input.unparsable', { reason: 'empty_body' });
  if (!isUtf8(body)) throw new Failure('input.unparsable', { reason: 'unsupported_encoding' });
  if (isTooDeep(body, maxDepth)) throw new Failure('input.unparsable', { reason: 'nesting_too_deep' });
  const text = body.toString('utf8');
  // PostgreSQL text cannot hold U+0000 and no field of any contract needs it.
  if (text.includes('\\u0000')) throw new Failure('input.unparsable', { reason: 'malformed_json' });
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    throw new Failure('input.unparsable', { reason: 'malformed_json', cause });
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside strings before parsing, so that depth cannot cost a stack. */
function isTooDeep(body: Buffer, maxDepth: number): boolean {
  let depth = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (byte === QUOTE) {
      for (i++; i < body.length && body[i] !== QUOTE; i++) if (body[i] === BACKSLASH) i++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}
