const FIRST_SIZE = 1024;

/** 64 bits of a text as two words. Two different texts of one feed share them about once in a billion feeds. */
export function hash64(text: string): readonly [number, number] {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return [a >>> 0, b >>> 0];
}

/** A growing list of 32-bit numbers without an object for each. */
export class WordList {
  private words = new Uint32Array(FIRST_SIZE);
  length = 0;

  push(word: number): void {
    if (this.length === this.words.length) {
      const grown = new Uint32Array(this.length + (this.length >>> 1));
      grown.set(this.words);
      this.words = grown;
    }
    this.words[this.length++] = word;
  }

  at(index: number): number {
    return this.words[index] ?? 0;
  }

  set(index: number, word: number): void {
    this.words[index] = word;
  }
}

/**
 * Maps 64-bit keys to row numbers by open addressing: about 8 bytes a row beside the 8 of its key, where a Map of strings
 * takes a hundred. The keys themselves are in the lists it is given.
 */
export class HashIndex {
  /** Row number plus one; 0 is free. */
  private slots = new Uint32Array(FIRST_SIZE);
  private used = 0;
  private readonly high = new WordList();
  private readonly low = new WordList();

  /** Adds the key of the next row. @returns the row that has the same key and is reached by the index, or -1. */
  add(high: number, low: number, row: number): number {
    this.high.push(high);
    this.low.push(low);
    const slot = this.find(high, low);
    const known = (this.slots[slot] ?? 0) - 1;
    if (known >= 0) return known;
    this.slots[slot] = row + 1;
    this.used += 1;
    if (this.used * 2 > this.slots.length) this.grow();
    return -1;
  }

  private find(high: number, low: number): number {
    const mask = this.slots.length - 1;
    for (let slot = (high ^ low) & mask; ; slot = (slot + 1) & mask) {
      const row = (this.slots[slot] ?? 0) - 1;
      if (row < 0 || (this.high.at(row) === high && this.low.at(row) === low)) return slot;
    }
  }

  private grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(old.length * 2);
    for (const entry of old) {
      if (entry !== 0) this.slots[this.find(this.high.at(entry - 1), this.low.at(entry - 1))] = entry;
    }
  }
}
