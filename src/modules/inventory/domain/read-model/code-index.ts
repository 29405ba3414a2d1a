import { foldCase } from './comparable-text.js';
import type { Pacer } from './pacer.js';

const ROWS = 1024;
const SEPARATOR = 0x0a;

/** Words shorter than this (characters) do not look into VINs and stock numbers. */
export const CODE_WORD_CHARACTERS_MIN = 3;

/** The codes of one unit. */
export interface CodePair {
  readonly vin: string;
  readonly stockNumber: string;
}

/**
 * Finds the units of a rooftop whose VIN or stock number contains a word. Each group of three bytes is hashed to one of
 * 1,024 rows of bits, one bit a unit; a unit can only match when it has a bit in the row of every group of the word, and
 * those few are compared byte by byte. Built once a rooftop, so that replacing one rooftop costs the others nothing.
 */
export class CodeIndex {
  private constructor(
    private readonly text: Buffer,
    private readonly starts: Uint32Array,
    private readonly rows: Uint32Array,
    private readonly rowWords: number,
  ) {}

  /** @param codes VIN and stock number of each unit, in the order of its positions. */
  static async of(codes: readonly CodePair[], pacer: Pacer): Promise<CodeIndex> {
    const lines: string[] = [];
    await pacer.each(codes.length, (unit) => {
      const { vin, stockNumber } = codes[unit] as CodePair;
      lines.push(lineOf(vin), lineOf(stockNumber));
    });
    const text = Buffer.from(lines.join(''), 'utf8');
    const rowWords = Math.ceil(codes.length / 32);
    const index = new CodeIndex(text, new Uint32Array(codes.length + 1), new Uint32Array(ROWS * rowWords), rowWords);
    await pacer.each(codes.length, (unit) => {
      index.enter(unit);
    });
    return index;
  }

  /** Calls back with the index of every unit whose VIN or stock number contains the word (case-folded UTF-8). */
  forEachMatch(word: Buffer, found: (index: number) => void): void {
    for (let block = 0; block < this.rowWords; block++) {
      let candidates = this.candidatesOf(word, block);
      while (candidates !== 0) {
        const index = block * 32 + (31 - Math.clz32(candidates & -candidates));
        candidates &= candidates - 1;
        if (this.unitContains(index, word)) found(index);
      }
    }
  }

  /** Bytes held. */
  get byteLength(): number {
    return this.text.length + this.starts.byteLength + this.rows.byteLength;
  }

  /** Sets a unit's bit in the row of every group of its two lines. */
  private enter(unit: number): void {
    const { text, rows } = this;
    const column = unit >> 5;
    const bit = 1 << (unit & 31);
    let at = this.starts[unit] as number;
    for (let lines = 0; lines < 2; at++) {
      const row = rowAt(text, at) * this.rowWords + column;
      rows[row] = (rows[row] as number) | bit;
      if (text[at] === SEPARATOR) lines++;
    }
    this.starts[unit + 1] = at;
  }

  private candidatesOf(word: Buffer, block: number): number {
    let candidates = -1;
    for (let at = 0; at + 2 < word.length && candidates !== 0; at++) {
      candidates &= this.rows[rowAt(word, at) * this.rowWords + block] as number;
    }
    return candidates;
  }

  private unitContains(index: number, word: Buffer): boolean {
    const last = (this.starts[index + 1] as number) - word.length;
    for (let at = this.starts[index] as number; at <= last; at++) {
      let same = 0;
      while (same < word.length && this.text[at + same] === word[same]) same++;
      if (same === word.length) return true;
    }
    return false;
  }
}

/** A word holds no white space, so a line end inside a code may become a space. */
function lineOf(code: string): string {
  return `${foldCase(code).replaceAll('\n', ' ')}\n`;
}

/** The row of the three bytes at `at`; bytes past the end count as 0. */
function rowAt(bytes: Buffer, at: number): number {
  const second = at + 1 < bytes.length ? (bytes[at + 1] as number) : 0;
  const third = at + 2 < bytes.length ? (bytes[at + 2] as number) : 0;
  const three = ((bytes[at] as number) << 16) | (second << 8) | third;
  return Math.imul(three, 0x9e37_79b1) >>> 22;
}
