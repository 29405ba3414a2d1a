const LINE_FEED = 0x0a;

/**
 * Cuts a byte stream at line feeds and nothing else: JSON may hold U+2028, which common line readers take for an end of
 * line. A line over the limit is given as undefined, once, and skipped to its end.
 */
export class LineSplitter {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private skipping = false;

  constructor(
    private readonly maxBytes: number,
    private readonly onLine: (line: string | undefined) => void,
  ) {}

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.hold(chunk.subarray(from, end));
      this.flush();
      from = end + 1;
    }
    this.hold(chunk.subarray(from));
  }

  /** What came after the last line feed is a line, too. */
  end(): void {
    if (this.heldBytes > 0) this.flush();
  }

  private hold(piece: Buffer): void {
    if (this.skipping || piece.length === 0) return;
    this.heldBytes += piece.length;
    if (this.heldBytes <= this.maxBytes) {
      this.held.push(piece);
      return;
    }
    this.skipping = true;
    this.onLine(undefined);
  }

  private flush(): void {
    const line = this.skipping ? '' : Buffer.concat(this.held).toString('utf8').trim();
    this.held = [];
    this.heldBytes = 0;
    this.skipping = false;
    if (line !== '') this.onLine(line);
  }
}
