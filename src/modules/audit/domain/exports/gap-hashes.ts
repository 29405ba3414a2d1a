import type { ExportGap } from '../audit-export.js';
import { perfectRoot } from '../log/hashes.js';
import { subtreesOf } from '../log/subtrees.js';

/** Closes the tree over rows that an export leaves out. @param leaves their leaf hashes, the first of them at index `from` */
export function gapOf(from: number, leaves: readonly Uint8Array[]): ExportGap {
  const to = from + leaves.length;
  const hashes = subtreesOf(from, to).map(({ level, index }) => {
    const start = index * 2 ** level - from;
    return Buffer.from(perfectRoot(leaves.slice(start, start + 2 ** level))).toString('base64');
  });
  return { from, to, hashes };
}
