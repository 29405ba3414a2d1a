/** Counts physical lines over a text that comes in pieces: LF, CRLF and CR end a line. */
export class LineCounter {
  private afterCr = false;

  /** The 1-based line on which the text after everything taken so far begins. */
  line = 1;

  take(text: string): void {
    if (text === '') return;
    if (!text.includes('\r')) {
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.line += 1;
      if (this.afterCr && text.startsWith('\n')) this.line -= 1;
      this.afterCr = false;
      return;
    }
    for (const end of text.matchAll(/\r\n?|\n/g)) {
      if (!(this.afterCr && end.index === 0 && end[0] === '\n')) this.line += 1;
    }
    this.afterCr = text.endsWith('\r');
  }
}
