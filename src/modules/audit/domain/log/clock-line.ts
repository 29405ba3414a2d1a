/** How far a process's clock was from the database's: local minus database, and how sure that is. Whole milliseconds. */
export interface ClockReading {
  readonly offsetMs: number;
  /** Half of the round trip that measuring took: the true offset is no further from `offsetMs` than this. */
  readonly uncertaintyMs: number;
}

const LINE = /^clock-offset-ms (-?\d{1,15}) ±(\d{1,9})$/;

/** The extension line of a checkpoint that records the clock (decision record 0040). */
export const clockLine = ({ offsetMs, uncertaintyMs }: ClockReading): string =>
  `clock-offset-ms ${offsetMs} ±${uncertaintyMs}`;

/** The reading among a checkpoint's extension lines; the others are not ours to judge. */
export function clockOfLines(lines: readonly string[]): ClockReading | undefined {
  for (const line of lines) {
    const [, offset, uncertainty] = LINE.exec(line) ?? [];
    if (offset !== undefined) return { offsetMs: Number(offset), uncertaintyMs: Number(uncertainty) };
  }
  return undefined;
}

/** How far the clock is off for certain, milliseconds; 0 where the offset is within what measuring could be wrong by. */
export const certainOffsetMs = ({ offsetMs, uncertaintyMs }: ClockReading): number =>
  Math.max(0, Math.abs(offsetMs) - uncertaintyMs);
