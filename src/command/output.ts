/** Where a command writes: results on standard output, progress and complaints on standard error. */
export interface Output {
  /** One result: a table or text for people, or JSON for machines. */
  result(human: string, machine: unknown): void;
  /** A line about long work; nothing when output is for machines or not a terminal. */
  progress(line: string): void;
}

export function makeOutput(json: boolean): Output {
  const live = !json && process.stderr.isTTY;
  return {
    result: (human, machine) => void process.stdout.write(json ? `${JSON.stringify(machine)}\n` : `${human}\n`),
    progress: (line) => {
      if (live) process.stderr.write(`\r\u001b[K${line}`);
    },
  };
}

/** A plain table with aligned columns. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
