const LINE = /^restore-journal ([0-9a-f]{64})$/;

/**
 * The extension line of a checkpoint that names the newest entry of the restore journal (decision record 0057): the hash of its
 * encrypted line, which says nothing to anybody but where the journal was.
 */
export const journalLine = (lineHash: string): string => `restore-journal ${lineHash}`;

/** The entry named among a checkpoint's extension lines. */
export function journalOfLines(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const [, lineHash] = LINE.exec(line) ?? [];
    if (lineHash !== undefined) return lineHash;
  }
  return undefined;
}
