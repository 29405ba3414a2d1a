import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heldRecordOf } from '../domain/held-record.js';
import { HoldRoot } from './hold-root.js';

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
};

const leafOf = (record: string): Buffer => sha256(Uint8Array.of(0), record);

/** The definition of RFC 9162 §2.1.1, word by word. */
function treeHead(records: readonly string[]): Buffer {
  if (records.length === 0) return sha256();
  if (records.length === 1) return leafOf(records[0] ?? '');
  let k = 1;
  while (k * 2 < records.length) k *= 2;
  return sha256(Uint8Array.of(1), treeHead(records.slice(0, k)), treeHead(records.slice(k)));
}

function rootOf(records: readonly string[], page: number): ReturnType<HoldRoot['count']> {
  const root = new HoldRoot();
  for (let at = 0; at < records.length; at += page) root.add(Buffer.concat(records.slice(at, at + page).map(leafOf)));
  return root.count();
}

describe('The root of a hold', () => {
  it('is that of RFC 9162 over its list, however the list is cut into pages', () => {
    const lists = fc.array(fc.tuple(fc.constantFrom('feed_file', 'audit_event'), fc.string()), { maxLength: 70 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 16 }), (pairs, page) => {
        const records = pairs.map(([category, id]) => `${category}\n${id}`);
        expect(rootOf(records, page)).toEqual({ covered: records.length, root: treeHead(records) });
      }),
    );
  });

  it('is that also around every power of two, and for no record and one', () => {
    const sizes = [0, 1, ...Array.from({ length: 12 }, (_, k) => [2 ** k - 1, 2 ** k, 2 ** k + 1]).flat()];
    for (const size of new Set(sizes)) {
      const records = Array.from({ length: size }, (_, n) => `feed_file\n${n}`);
      expect(rootOf(records, 1024), `${size} records`).toEqual({ covered: size, root: treeHead(records) });
    }
  });

  it('is over records whose ids may have line feeds in them', () => {
    expect(heldRecordOf('feed_file\na\nb')).toEqual({ category: 'feed_file', recordId: 'a\nb' });
  });
});
