import { FeedProblem } from '../feed-problem.js';
import { LineCounter } from './line-counter.js';

/** A value cut out of a document, as written. `text` is absent when it is longer or deeper than allowed. */
export interface JsonSlice {
  /** The member it is, or whose list it stands in; '' when the document is a list. */
  readonly member: string;
  readonly line: number;
  readonly size: number;
  readonly text?: string;
}

export interface JsonWish {
  /** Members that are lists whose elements are wanted one by one; '' for a document that is a list itself. */
  readonly lists: ReadonlySet<string>;
  /** Members that are wanted whole. */
  readonly members: ReadonlySet<string>;
  /** Longest slice, in characters. */
  readonly limit: number;
  /** Deepest nesting inside a slice. */
  readonly depthLimit: number;
}

interface OpenSlice {
  readonly line: number;
  readonly depth: number;
  readonly scalar: boolean;
  size: number;
  text: string;
  refused: boolean;
}

/** Where the walk stands: outside, among the members of the document, among elements of a wanted list, or deeper. */
type Level = 'root' | 'members' | 'elements' | 'inside';

/**
 * Walks a JSON document piece by piece with a string-aware brace matcher and cuts out the values that are wanted. What lies
 * between is only balanced, not understood: every slice is parsed by itself, so that one bad record costs one record.
 */
export class JsonScanner {
  private readonly lines = new LineCounter();
  private text = '';
  private counted = 0;
  private sliceFrom = 0;
  private depth = 0;
  private listDepth = -1;
  private rootIsObject = false;
  private inString = false;
  private escaped = false;
  private readingKey = false;
  private key = '';
  private valueDue = false;
  private listSeen = false;
  private closed = false;
  private slice: OpenSlice | undefined;
  private slices: JsonSlice[] = [];

  constructor(private readonly wish: JsonWish) {}

  /** @throws FeedProblem `document_malformed` when the document is no JSON object or list. */
  push(text: string): readonly JsonSlice[] {
    this.text = text;
    this.counted = 0;
    this.sliceFrom = 0;
    for (let i = 0; i < text.length; i++) {
      if (this.inString) i = this.walkString(i);
      else this.walk(text.charAt(i), i);
    }
    if (this.slice !== undefined) this.keep(this.slice, text.length);
    this.lines.take(text.slice(this.counted));
    const slices = this.slices;
    this.slices = [];
    return slices;
  }

  /** @throws FeedProblem `document_malformed` when the document is cut short or the wanted list is missing. */
  end(): void {
    if (!this.closed || this.inString || (this.wish.lists.size > 0 && !this.listSeen)) throw this.broken();
  }

  /** Reads on inside a string; gives the place of its last character in this piece. */
  private walkString(from: number): number {
    const { text } = this;
    for (let i = from; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (this.escaped) this.escaped = false;
      else if (c === 0x5c) this.escaped = true;
      else if (c === 0x22) {
        this.endString(from, i);
        return i;
      }
    }
    if (this.readingKey) this.key = (this.key + text.slice(from)).slice(0, 256);
    return text.length;
  }

  private endString(from: number, end: number): void {
    this.inString = false;
    if (this.readingKey) this.key = (this.key + this.text.slice(from, end)).slice(0, 256);
    this.readingKey = false;
    if (this.slice?.scalar === true && this.slice.depth === this.depth) this.closeSlice(this.slice, end + 1);
  }

  private walk(c: string, at: number): void {
    if (c === ' ' || c === '\n' || c === '\r' || c === '\t') return;
    if (this.slice?.scalar === true && (c === ',' || c === '}' || c === ']')) this.closeSlice(this.slice, at);
    const level = this.level();
    if (c === '}' || c === ']') this.closeNested(at);
    else if (c === ',') this.valueDue = false;
    else if (c === ':') this.valueDue = level === 'members' || this.valueDue;
    else this.openValue(c, at, level);
  }

  private level(): Level {
    if (this.depth === 0) return 'root';
    if (this.slice !== undefined) return 'inside';
    if (this.depth === this.listDepth) return 'elements';
    return this.depth === 1 && this.rootIsObject ? 'members' : 'inside';
  }

  private openValue(c: string, at: number, level: Level): void {
    const nested = c === '{' || c === '[';
    if (level === 'root') this.openRoot(c);
    else if (level === 'elements') this.openSlice(at, !nested);
    else if (level === 'members') this.openMember(c, at, !nested);
    if (c === '"') this.inString = true;
    else if (nested) this.openNested(level);
  }

  private openRoot(c: string): void {
    if (this.closed || (c !== '{' && c !== '[')) throw this.broken();
    this.rootIsObject = c === '{';
    if (c === '[' && this.wish.lists.has('')) this.openList(1);
  }

  private openMember(c: string, at: number, scalar: boolean): void {
    if (!this.valueDue) {
      [this.readingKey, this.key] = [c === '"', ''];
    } else if (c === '[' && this.wish.lists.has(this.key)) {
      this.openList(2);
    } else if (this.wish.members.has(this.key)) {
      this.openSlice(at, scalar);
    }
  }

  private openList(depth: number): void {
    this.listDepth = depth;
    this.listSeen = true;
  }

  private openNested(level: Level): void {
    this.depth += 1;
    if (level !== 'inside' || this.slice === undefined) return;
    if (this.depth - this.slice.depth > this.wish.depthLimit) this.slice.refused = true;
  }

  private closeNested(at: number): void {
    this.depth -= 1;
    if (this.depth < 0) throw this.broken();
    if (this.depth < this.listDepth) this.listDepth = -1;
    this.closed = this.depth === 0;
    if (this.slice !== undefined && !this.slice.scalar && this.slice.depth === this.depth) {
      this.closeSlice(this.slice, at + 1);
    }
  }

  private openSlice(at: number, scalar: boolean): void {
    this.lines.take(this.text.slice(this.counted, at));
    [this.counted, this.sliceFrom] = [at, at];
    this.slice = { line: this.lines.line, depth: this.depth, scalar, size: 0, text: '', refused: false };
  }

  private keep(open: OpenSlice, end: number): void {
    open.size += end - this.sliceFrom;
    if (open.size > this.wish.limit) open.refused = true;
    open.text = open.refused ? '' : open.text + this.text.slice(this.sliceFrom, end);
  }

  private closeSlice(open: OpenSlice, end: number): void {
    this.keep(open, end);
    const { line, size, text, refused } = open;
    const member = this.rootIsObject ? this.key : '';
    this.slices.push(refused ? { member, line, size } : { member, line, size, text: text.trim() });
    this.slice = undefined;
  }

  private broken(): FeedProblem {
    return new FeedProblem('document_malformed', { line: this.slice?.line ?? this.lines.line });
  }
}
