import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { CompactRange } from '../domain/log/compact-range.js';
import { Findings } from './verify-findings.js';
import { LogWalk } from './verify-walk.js';

const leaf = (of: string): Buffer => createHash('sha256').update(of).digest();

function walked(places: readonly (readonly [number, string])[]): { findings: Findings; root: string } {
  const findings = new Findings();
  const walk = new LogWalk(new CompactRange(), findings);
  for (const [seq, of] of places) walk.take(seq, leaf(of));
  return { findings, root: Buffer.from(walk.range.root()).toString('hex') };
}

const sound = [0, 1, 2, 3].map((seq) => [seq, `record ${seq}`] as const);

it('names a place that two records claim, whichever comes first, and judges the rest by itself', () => {
  const { root } = walked(sound);
  const twice = [2, 'another'] as const;
  const after = walked([...sound.slice(0, 3), twice, ...sound.slice(3)]);
  expect(after.findings.list).toEqual([{ kind: 'entry_twice', from: 2, to: 2 }]);
  expect(after.root, 'what came second is left out').toBe(root);
  const before = walked([...sound.slice(0, 2), twice, ...sound.slice(2)]);
  expect(before.findings.list).toEqual([{ kind: 'entry_twice', from: 2, to: 2 }]);
  expect(before.root, 'and what stands there now is judged by tiles and roots').not.toBe(root);
});

it('names places that nobody has', () => {
  expect(walked([sound[0]!, sound[3]!]).findings.list).toEqual([{ kind: 'entry_missing', from: 1, to: 2 }]);
});
