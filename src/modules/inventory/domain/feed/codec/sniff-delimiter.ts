const CANDIDATES = [',', '\t', '|', ';'] as const;

/** The separator of a header line: the candidate that occurs most outside quotes; comma where none does. */
export function sniffDelimiter(line: string): string {
  const plain = line.replace(/"[^"]*"/g, '');
  let best = ',';
  let most = 0;
  for (const candidate of CANDIDATES) {
    const count = plain.split(candidate).length - 1;
    if (count > most) [best, most] = [candidate, count];
  }
  return best;
}
