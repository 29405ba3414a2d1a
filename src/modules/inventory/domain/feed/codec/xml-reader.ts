import { SaxesParser } from 'saxes';
import { FeedProblem } from '../feed-problem.js';
import type { SourcePosition } from '../row-outcome.js';
import { EntityGuard } from './entity-guard.js';
import type { FeedRecord, RecordReader } from './feed-record.js';
import { headerKey } from './header-key.js';

export interface XmlShape {
  /** Names of the elements that are records, without prefix; they stand directly below the root. */
  readonly records: readonly string[];
  /** Keys of the elements whose text is kept, in the order of the cells. */
  readonly columns: readonly string[];
  /** Longest record, in characters of text. */
  readonly recordLimit: number;
}

interface OpenRecord {
  readonly at: SourcePosition;
  readonly cells: string[];
  readonly identity: string[];
  size: number;
  malformed: boolean;
}

/** Entities of HTML, and blank lines in front of the document: both change nothing of what is said. */
const TOLERATED = ['undefined entity', 'XML declaration must be at the start'];

/**
 * XML of two levels: a root, records below it, fields below them. Nothing is fetched and no entity of a document type is
 * expanded: an entity that XML does not define stays as it is written, for text cleaning to decode where HTML defines it.
 * What is wrong inside a record spoils that record; what is wrong around records, or a cut end, spoils the file.
 */
export class XmlReader implements RecordReader {
  private readonly parser = new SaxesParser({ position: true });
  private readonly guard = new EntityGuard();
  private readonly slots: ReadonlyMap<string, number>;
  private readonly names: ReadonlySet<string>;
  private records: FeedRecord[] = [];
  private depth = 0;
  private count = 0;
  private open: OpenRecord | undefined;
  private field = '';
  private fieldText = '';
  private sinceEvent = 0;

  constructor(private readonly shape: XmlShape) {
    this.slots = new Map(shape.columns.map((name, slot) => [headerKey(name), slot]));
    this.names = new Set(shape.records.map(headerKey));
    this.parser.on('opentagstart', (tag) => {
      this.openTag(tag.name);
    });
    this.parser.on('closetag', () => {
      this.closeTag();
    });
    this.parser.on('text', (text) => {
      this.takeText(text);
    });
    this.parser.on('cdata', (text) => {
      this.takeText(text);
    });
    this.parser.on('error', (error) => {
      this.takeError(error);
    });
  }

  push(text: string): readonly FeedRecord[] {
    this.sinceEvent += text.length;
    // The parser gathers a text or comment of any length before it gives it away.
    if (this.sinceEvent > 4 * this.shape.recordLimit) throw this.broken();
    this.parser.write(this.guard.take(text));
    return this.taken();
  }

  end(): readonly FeedRecord[] {
    this.parser.write(this.guard.end());
    this.open = undefined;
    this.parser.close();
    return this.taken();
  }

  private taken(): readonly FeedRecord[] {
    const records = this.records;
    this.records = [];
    return records;
  }

  private openTag(name: string): void {
    this.sinceEvent = 0;
    this.depth += 1;
    const key = headerKey(name.slice(name.indexOf(':') + 1));
    if (this.depth === 2 && this.names.has(key)) {
      const at = { line: this.tagLine(), record: ++this.count };
      this.open = { at, cells: this.shape.columns.map(() => ''), identity: [], size: 0, malformed: false };
    } else if (this.open?.malformed === true && this.names.has(key)) {
      // The broken record has swallowed the beginning of another one; that one is lost too, but not without a word.
      this.records.push({ at: { line: this.tagLine(), record: ++this.count }, spoilt: 'record_malformed' });
    } else if (this.depth === 3) {
      [this.field, this.fieldText] = [key, ''];
    }
  }

  /** The event comes one character after the name; when that was a line end the parser is already on the next line. */
  private tagLine(): number {
    return this.parser.columnIndex === 0 ? this.parser.line - 1 : this.parser.line;
  }

  private closeTag(): void {
    this.sinceEvent = 0;
    if (this.depth === 3) this.closeField();
    if (this.depth === 2) this.closeRecord();
    this.depth -= 1;
  }

  private closeField(): void {
    const record = this.open;
    if (record === undefined) return;
    const text = this.fieldText;
    record.identity.push(this.field, text);
    const slot = this.slots.get(this.field);
    if (slot === undefined) return;
    // An element that is there more than once is a list; where one value is expected the joined text does not pass.
    const before = record.cells[slot] ?? '';
    record.cells[slot] = before === '' ? text : text === '' ? before : `${before}\n${text}`;
  }

  private closeRecord(): void {
    const record = this.open;
    this.open = undefined;
    if (record === undefined) return;
    const { at, cells, size } = record;
    if (size > this.shape.recordLimit) this.records.push({ at, spoilt: 'record_too_large' });
    else if (record.malformed) this.records.push({ at, spoilt: 'record_malformed' });
    else this.records.push({ at, cells, size, identity: record.identity.join('\0') });
  }

  private takeText(text: string): void {
    this.sinceEvent = 0;
    const record = this.open;
    if (record === undefined) return;
    record.size += text.length;
    if (this.depth >= 3 && record.size <= this.shape.recordLimit) this.fieldText += text;
  }

  private takeError(error: Error): void {
    if (TOLERATED.some((message) => error.message.includes(message))) return;
    if (this.open === undefined) throw this.broken();
    this.open.malformed = true;
  }

  private broken(): FeedProblem {
    return new FeedProblem('document_malformed', { line: this.parser.line });
  }
}
