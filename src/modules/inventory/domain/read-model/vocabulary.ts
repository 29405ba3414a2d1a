import { comparable, foldCase } from './comparable-text.js';

/** Numbers the distinct strings it meets, from 0 in order of appearance. */
export class Vocabulary {
  private readonly codes = new Map<string, number>();
  private readonly list: string[] = [];
  private foldedList: readonly string[] = [];
  private comparableList: readonly string[] = [];

  /** The code of a string, given now when it is new. */
  add(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const code = this.list.length;
    this.codes.set(text, code);
    this.list.push(text);
    return code;
  }

  /** The code of a string, or -1 when no unit has it. */
  codeOf(text: string): number {
    return this.codes.get(text) ?? -1;
  }

  /** The strings by code. */
  get values(): readonly string[] {
    return this.list;
  }

  /** `foldCase` of each string, once prepared. */
  get folded(): readonly string[] {
    return this.foldedList;
  }

  /** `comparable` of each string, once prepared. */
  get comparable(): readonly string[] {
    return this.comparableList;
  }

  /** Derives the forms that searches compare with. Nothing may be added afterwards. */
  prepare(): void {
    this.foldedList = this.list.map(foldCase);
    this.comparableList = this.list.map(comparable);
  }
}
