import type { FeedRecord, RecordReader } from './feed-record.js';
import { PlaceFinder } from './place-finder.js';

export interface DelimitedShape {
  readonly delimiter: string;
  /** RFC 4180 quoting. Off: quote characters are plain text. */
  readonly quoting: boolean;
  /** Cells of a sound record. Absent: any number (used to read a header). */
  readonly columns?: number;
  /** The first record that is not blank is the header and is not given. */
  readonly header: boolean;
  /** Longest record, in characters. */
  readonly recordLimit: number;
}

/** What reading at the current place came to: a record, a stretch without one, or nothing before more text has come. */
type Step = FeedRecord | 'blank' | 'wait';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Delimited text. Lines end with LF, CRLF or CR, also mixed; blank lines are no records; a quoted cell may hold line ends.
 * An opening quote that never closes spoils its own physical line only: reading goes on at the next line.
 */
export class DelimitedReader implements RecordReader {
  private text = '';
  private at = 0;
  private line = 1;
  private record = 0;
  private overlong = false;
  private headerDue: boolean;
  private final = false;
  private readonly delimiters: PlaceFinder;
  private readonly quotes = new PlaceFinder('"');
  private readonly lineFeeds = new PlaceFinder('\n');
  private readonly returns = new PlaceFinder('\r');

  constructor(private readonly shape: DelimitedShape) {
    this.headerDue = shape.header;
    this.delimiters = new PlaceFinder(shape.delimiter);
  }

  push(text: string): readonly FeedRecord[] {
    this.text = this.text.slice(this.at) + text;
    this.at = 0;
    for (const finder of [this.delimiters, this.quotes, this.lineFeeds, this.returns]) finder.search(this.text);
    return this.drain();
  }

  end(): readonly FeedRecord[] {
    this.final = true;
    return this.drain();
  }

  private drain(): readonly FeedRecord[] {
    const records: FeedRecord[] = [];
    while (this.at < this.text.length) {
      const step = this.overlong ? this.skipLine() : this.readRecord();
      if (step === 'wait') break;
      if (step !== 'blank') records.push(step);
    }
    return records;
  }

  private readRecord(): Step {
    const start = this.at;
    const eol = this.lineEnd(start);
    if (eol < 0) return this.text.length - start > this.shape.recordLimit ? this.tooLarge() : 'wait';
    if (eol - start > this.shape.recordLimit) return this.spoil('record_too_large', eol);
    if (this.shape.quoting && this.quotes.from(start) < eol) return this.quotedRecord(start, eol);
    const line = this.text.slice(start, eol);
    if (line.trim() === '') return this.move(eol, 1, 'blank');
    return this.finish(line.split(this.shape.delimiter), eol, 1);
  }

  /** A record with at least one quote on its first line, which ends at `firstEol`. */
  private quotedRecord(start: number, firstEol: number): Step {
    const cells: string[] = [];
    let lines = 1;
    let at = start;
    for (;;) {
      const cell = this.cellAt(at);
      if (cell === undefined) return this.unfinished(start, firstEol);
      cells.push(cell.text);
      lines += cell.lineEnds;
      at = cell.end;
      if (at >= this.text.length || this.isLineEnd(at)) break;
      if (!this.text.startsWith(this.shape.delimiter, at)) return this.spoil('quote_unbalanced', firstEol);
      // Without this check a quote that never closes would swallow the rows below it for as long as their quotes pair up.
      if (lines > 1 && cells.length === this.shape.columns) return this.spoil('quote_unbalanced', firstEol);
      at += 1;
    }
    if (this.mayGoOn(at)) return this.unfinished(start, firstEol);
    if (lines > 1 && this.miscounted(cells)) return this.spoil('quote_unbalanced', firstEol);
    return this.finish(cells, at, lines);
  }

  /** The cell at a place; undefined when the text so far does not hold all of it. */
  private cellAt(at: number): { text: string; end: number; lineEnds: number } | undefined {
    if (this.text.charCodeAt(at) !== QUOTE) {
      const end = Math.min(this.delimiters.from(at), this.lineFeeds.from(at), this.returns.from(at));
      if (end === Infinity && !this.final) return undefined;
      const stop = Math.min(end, this.text.length);
      return { text: this.text.slice(at, stop), end: stop, lineEnds: 0 };
    }
    const close = this.closingQuote(at + 1);
    if (close < 0) return undefined;
    const raw = this.text.slice(at + 1, close);
    const text = raw.includes('"') ? raw.replaceAll('""', '"') : raw;
    return { text, end: this.skipSpaces(close + 1), lineEnds: countLineEnds(raw) };
  }

  /** A quote that ends the text so far may be half of an escaped one. */
  private closingQuote(from: number): number {
    let at = this.text.indexOf('"', from);
    while (at >= 0 && this.text.charCodeAt(at + 1) === QUOTE) at = this.text.indexOf('"', at + 2);
    return at === this.text.length - 1 && !this.final ? -1 : at;
  }

  private skipSpaces(at: number): number {
    let end = at;
    while (this.text.charCodeAt(end) === 0x20) end++;
    return end;
  }

  private unfinished(start: number, firstEol: number): Step {
    const hopeless = this.final || this.text.length - start > this.shape.recordLimit;
    return hopeless ? this.spoil('quote_unbalanced', firstEol) : 'wait';
  }

  private finish(cells: readonly string[], eol: number, lines: number): Step {
    if (this.headerDue) {
      this.headerDue = false;
      return this.move(eol, lines, 'blank');
    }
    if (this.miscounted(cells)) return this.spoil('column_count', eol);
    const at = { line: this.line, record: ++this.record };
    // NUL never occurs in a feed (decode-text refuses it), so the join is unambiguous.
    return this.move(eol, lines, { at, cells, size: eol - this.at, identity: cells.join('\0') });
  }

  private miscounted(cells: readonly string[]): boolean {
    return !this.headerDue && this.shape.columns !== undefined && cells.length !== this.shape.columns;
  }

  private spoil(spoilt: 'column_count' | 'quote_unbalanced' | 'record_too_large', eol: number): Step {
    this.headerDue = false;
    return this.move(eol, 1, { at: { line: this.line, record: ++this.record }, spoilt });
  }

  private tooLarge(): Step {
    const at = { line: this.line, record: ++this.record };
    this.overlong = true;
    return { at, spoilt: 'record_too_large' };
  }

  private skipLine(): Step {
    const eol = this.lineEnd(this.at);
    if (eol < 0) {
      this.at = this.text.length - (this.text.endsWith('\r') ? 1 : 0);
      return 'wait';
    }
    this.overlong = false;
    return this.move(eol, 1, 'blank');
  }

  private move(eol: number, lines: number, step: Step): Step {
    const crlf = this.text.charCodeAt(eol) === CR && this.text.charCodeAt(eol + 1) === LF;
    this.at = Math.min(eol + (crlf ? 2 : 1), this.text.length);
    this.line += lines;
    return step;
  }

  /** Where the physical line ends; -1 when the text so far does not say. */
  private lineEnd(from: number): number {
    const end = Math.min(this.lineFeeds.from(from), this.returns.from(from));
    if (end === Infinity) return this.final ? this.text.length : -1;
    return this.mayGoOn(end) ? -1 : end;
  }

  /** A CR that ends the text so far may be half of a CRLF; a text that just stops may have more of its line to come. */
  private mayGoOn(at: number): boolean {
    return !this.final && (at >= this.text.length || (at === this.text.length - 1 && this.text.charCodeAt(at) === CR));
  }

  private isLineEnd(at: number): boolean {
    const code = this.text.charCodeAt(at);
    return code === LF || code === CR;
  }
}

function countLineEnds(text: string): number {
  if (!text.includes('\n') && !text.includes('\r')) return 0;
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
