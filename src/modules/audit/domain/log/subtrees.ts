/** A perfect subtree: `index` counts the subtrees of its level from the left. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The fewest perfect subtrees that cover the leaves from `start` to `end` (not included), from left to right. */
export function subtreesOf(start: number, end: number): readonly Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end;) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level++;
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
}
