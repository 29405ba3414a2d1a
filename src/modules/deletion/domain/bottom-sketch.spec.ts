import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BottomSketch, differingShare, type Sketched } from './bottom-sketch.js';

const COUNT = 60_000;
const HASHES = Buffer.concat(Array.from({ length: COUNT }, (_, i) => hash('sha256', String(i), 'buffer')));

function sketchOf(from: number, to: number): Sketched {
  const sketch = new BottomSketch();
  sketch.add(HASHES.subarray(32 * from, 32 * to));
  return { size: sketch.size, bytes: sketch.bytes() };
}

describe('a sketch of a set', () => {
  it('compares small sets exactly', () => {
    expect(differingShare(sketchOf(0, 0), sketchOf(0, 0))).toBe(0);
    expect(differingShare(sketchOf(0, 1000), sketchOf(0, 1000))).toBe(0);
    expect(differingShare(sketchOf(0, 100), sketchOf(0, 99))).toBeCloseTo(0.01);
    expect(differingShare(sketchOf(0, 100), sketchOf(1, 101))).toBeCloseTo(2 / 101);
    expect(differingShare(sketchOf(0, 10), sketchOf(10, 20))).toBe(1);
    expect(differingShare(sketchOf(0, 0), sketchOf(0, 1))).toBe(1);
  });

  it('estimates large ones: nothing where nothing changed, and near one in a hundred where that did', () => {
    const whole = sketchOf(0, COUNT);
    expect(differingShare(whole, sketchOf(0, COUNT))).toBe(0);
    expect(differingShare(whole, sketchOf(0, 59_700))).toBeLessThan(0.01);
    expect(differingShare(whole, sketchOf(0, 58_000))).toBeGreaterThan(0.02);
    expect(differingShare(whole, sketchOf(0, 1000))).toBeGreaterThan(0.95);
  });

  it('keeps the same bytes in whatever order and pieces hashes come', () => {
    const [once, reversed] = [new BottomSketch(), new BottomSketch()];
    once.add(HASHES.subarray(0, 32 * 9000));
    for (let i = 9000; i > 0; i--) reversed.add(HASHES.subarray(32 * (i - 1), 32 * i));
    expect(once.bytes().equals(reversed.bytes())).toBe(true);
    expect(once.bytes()).toHaveLength(2048 * 32);
  });
});
