const OPENING = /&|<!\[CDATA\[|<!--/g;
const ENTITY = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/iy;
/** The end of a piece that may be the beginning of an entity or of a section. */
const UNDECIDED = /(?:&(?:#?[a-z0-9]{0,32})?|<(?:!(?:-|\[(?:C(?:D(?:A(?:TA?)?)?)?)?)?)?)$/i;

/**
 * Writes ampersands that begin no entity as `&amp;`, outside CDATA and comments. Senders forget to escape them more often
 * than anything else, and an XML parser takes everything up to the next semicolon for the name of an entity: whole records
 * would vanish in it.
 */
export class EntityGuard {
  private rest = '';
  /** What ends the section that is passed through as it is; '' outside. */
  private until = '';

  take(text: string): string {
    return this.walk(this.rest + text, false);
  }

  end(): string {
    return this.walk(this.rest, true);
  }

  private walk(text: string, final: boolean): string {
    const stop = final ? text.length : text.length - this.heldBack(text);
    let out = '';
    let at = 0;
    while (at < stop) {
      const next = this.until === '' ? this.outside(text, at, stop) : this.inside(text, at, stop);
      out += next.text;
      at = next.end;
    }
    this.rest = text.slice(Math.max(at, stop));
    return out;
  }

  /** Characters at the end that cannot be judged before more text has come. */
  private heldBack(text: string): number {
    return Math.max(UNDECIDED.exec(text.slice(-40))?.[0].length ?? 0, Math.min(text.length, 2));
  }

  private inside(text: string, at: number, stop: number): { text: string; end: number } {
    const close = text.indexOf(this.until, at);
    if (close < 0 || close >= stop) return { text: text.slice(at, stop), end: stop };
    const end = close + this.until.length;
    this.until = '';
    return { text: text.slice(at, end), end };
  }

  private outside(text: string, at: number, stop: number): { text: string; end: number } {
    OPENING.lastIndex = at;
    const match = OPENING.exec(text);
    if (match === null || match.index >= stop) return { text: text.slice(at, stop), end: stop };
    const before = text.slice(at, match.index);
    if (match[0] !== '&') {
      this.until = match[0] === '<!--' ? '-->' : ']]>';
      const end = match.index + match[0].length;
      return { text: text.slice(at, end), end };
    }
    ENTITY.lastIndex = match.index;
    const entity = ENTITY.exec(text)?.[0];
    return { text: before + (entity ?? '&amp;'), end: match.index + (entity ?? '&').length };
  }
}
