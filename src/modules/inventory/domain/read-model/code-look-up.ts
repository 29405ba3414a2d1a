/** No unit has the code. */
export const ABSENT = -1;
/** More than one unit has the code. */
export const AMBIGUOUS = -2;

/** Finds units by an exact code: VIN or stock number. Two units under one code are never answered by the first. */
export class CodeLookUp {
  private readonly single = new Map<string, number>();
  private readonly shared = new Map<string, number[]>();

  /** Index of the one unit with the code, else ABSENT or AMBIGUOUS. */
  indexOf(code: string): number {
    return this.single.get(code) ?? ABSENT;
  }

  /** Every index with the code, ascending. */
  allOf(code: string): readonly number[] {
    const index = this.indexOf(code);
    if (index === ABSENT) return [];
    return index === AMBIGUOUS ? (this.shared.get(code) ?? []) : [index];
  }

  /** Takes in the unit at an index; indices ascend. */
  add(code: string, index: number): void {
    const before = this.single.get(code);
    if (before === undefined) this.single.set(code, index);
    else if (before === AMBIGUOUS) this.shared.get(code)?.push(index);
    else {
      this.single.set(code, AMBIGUOUS);
      this.shared.set(code, [before, index]);
    }
  }
}
