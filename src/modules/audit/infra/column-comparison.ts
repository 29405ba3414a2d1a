const EPOCH_MS = Date.UTC(2000, 0, 1);
const MICROS_PER_MS = 1000;
const [HIGH, SECOND_MS, TIME_MAX_MS] = [2 ** 32, 1000, 8.64e15];
const [QUOTE, COMMA] = [0x22, 0x2c];
// 1 for bytes that stand for themselves between JSON quotes, and are one character.
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => (/^[ !#-[\]-~]$/.test(String.fromCharCode(byte)) ? 1 : 0));
// A list in PostgreSQL's binary form: dimensions, whether it has nulls, the type; then its length and where it begins to count.
const [LIST_LENGTH_AT, LIST_VALUES_AT] = [12, 20];

/**
 * Holds canonical bytes against binary columns, side by side in one buffer. Each step tells whether the next bytes are what a column
 * makes, and moves on. Only plain text can be told: ASCII without quotes and backslashes, which JSON writes as it is and whose limits
 * nobody can move into a neighbour.
 */
export class ColumnComparison {
  /** Next canonical byte. */
  at = 0;
  private second = Number.NaN;
  private untilSecond = '';

  constructor(private readonly bytes: Buffer) {}

  begin(at: number): void {
    this.at = at;
  }

  skip(count: number): void {
    this.at += count;
  }

  comma(): boolean {
    return this.bytes[this.at++] === COMMA;
  }

  /** @param text ASCII */
  literal(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.bytes[this.at++] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** A text column. @param length of its bytes; −1 for null */
  text(start: number, length: number): boolean {
    return length < 0 ? this.literal('null') : this.quoted(start, length);
  }

  /** A time column, microseconds since 2000: RFC 3339 in UTC with milliseconds. */
  time(start: number, length: number): boolean {
    if (length !== 8) return false;
    const micros = this.bytes.readInt32BE(start) * HIGH + this.bytes.readUInt32BE(start + 4);
    const ms = micros / MICROS_PER_MS + EPOCH_MS;
    if (!Number.isInteger(ms) || Math.abs(ms) > TIME_MAX_MS) return false;
    const second = Math.floor(ms / SECOND_MS);
    if (second !== this.second) {
      this.second = second;
      this.untilSecond = `"${new Date(second * SECOND_MS).toISOString().slice(0, -'000Z'.length)}`;
    }
    return this.literal(this.untilSecond) && this.literal(`${String(ms - second * SECOND_MS).padStart(3, '0')}Z"`);
  }

  /** A column of texts. */
  list(start: number, length: number): boolean {
    if (length < 0) return this.literal('null');
    const dimensions = this.bytes.readInt32BE(start);
    if (dimensions !== 1) return dimensions === 0 && this.literal('[]');
    let value = start + LIST_VALUES_AT;
    for (let i = this.bytes.readInt32BE(start + LIST_LENGTH_AT); i > 0; i--) {
      const size = this.bytes.readInt32BE(value);
      if (!this.literal(value === start + LIST_VALUES_AT ? '[' : ',') || !this.text(value + 4, size)) return false;
      value += 4 + Math.max(size, 0);
    }
    return this.literal(']');
  }

  private quoted(start: number, length: number): boolean {
    const { bytes } = this;
    let at = this.at;
    if (bytes[at++] !== QUOTE) return false;
    for (let i = start; i < start + length; i++) {
      const byte = bytes[i] as number;
      if (byte !== bytes[at++] || PLAIN[byte] === 0) return false;
    }
    this.at = at + 1;
    return bytes[at] === QUOTE;
  }
}
