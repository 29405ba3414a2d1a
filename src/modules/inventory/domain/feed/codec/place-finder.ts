/** Finds the next place of a character, and remembers it: a stretch of text without the character is searched once. */
export class PlaceFinder {
  private text = '';
  /** The last answer holds for every position from here to the place found. */
  private since = Infinity;
  private next = -1;

  constructor(private readonly char: string) {}

  search(text: string): void {
    this.text = text;
    this.since = Infinity;
  }

  /** @returns the first place at or after a position; Infinity when there is none. */
  from(position: number): number {
    if (position >= this.since && position <= this.next) return this.next;
    const found = this.text.indexOf(this.char, position);
    this.next = found < 0 ? Infinity : found;
    this.since = position;
    return this.next;
  }
}
