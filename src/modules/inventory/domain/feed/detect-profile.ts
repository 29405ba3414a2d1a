import { DelimitedReader } from './codec/delimited-reader.js';
import { headerKey } from './codec/header-key.js';
import { sniffDelimiter } from './codec/sniff-delimiter.js';
import { FeedProblem } from './feed-problem.js';
import type { FeedProfile } from './profile/feed-profile.js';
import { PROFILES } from './profile/profiles.js';

/** The start of a file as text: what detection and the header may look at. */
export interface FileHead {
  readonly text: string;
  /** Whether the text is all there is. */
  readonly whole: boolean;
}

export type FileKind = 'delimited' | 'xml' | 'json';

/** What kind of document begins like this. */
export function fileKind(head: FileHead): FileKind {
  const first = head.text.trimStart().charAt(0);
  if (first === '<') return 'xml';
  return first === '{' || first === '[' ? 'json' : 'delimited';
}

/** The header of a delimited file and its separator. @throws FeedProblem `format_unrecognised` when no line ends. */
export function readHeader(head: FileHead): { readonly delimiter: string; readonly names: readonly string[] } {
  const line = head.text.split(/[\r\n]+/).find((text) => text.trim() !== '') ?? '';
  const delimiter = sniffDelimiter(line);
  const reader = new DelimitedReader({ delimiter, quoting: true, header: false, recordLimit: head.text.length });
  const records = [...reader.push(head.text), ...(head.whole ? reader.end() : [])];
  const first = records[0];
  if (first === undefined || 'spoilt' in first) throw new FeedProblem('format_unrecognised');
  return { delimiter, names: first.cells };
}

/**
 * Finds the format of a file by the columns that only this format has; of several the one with the longest signature.
 * Formats without a header are never detected: their first car could look like anything.
 * @throws FeedProblem `format_unrecognised`.
 */
export function detectProfile(head: FileHead): FeedProfile {
  const kind = fileKind(head);
  const names = new Set((kind === 'delimited' ? readHeader(head).names : namesIn(head.text, kind)).map(headerKey));
  let best: FeedProfile | undefined;
  let longest = 0;
  for (const profile of PROFILES.filter((p) => p.codecs.some((codec) => codec.kind === kind))) {
    for (const signature of profile.signatures) {
      if (signature.length <= longest || !signature.every((column) => names.has(headerKey(column)))) continue;
      [best, longest] = [profile, signature.length];
    }
  }
  if (best === undefined) throw new FeedProblem('format_unrecognised');
  return best;
}

/** Element or member names in the start of a document, without understanding it. */
function namesIn(text: string, kind: 'xml' | 'json'): readonly string[] {
  const pattern = kind === 'xml' ? /<([A-Za-z_][\w.:-]*)/g : /"([^"\\]{1,100})"\s*:/g;
  return [...text.matchAll(pattern)].map((match) => (match[1] ?? '').replace(/^.*:/, ''));
}
