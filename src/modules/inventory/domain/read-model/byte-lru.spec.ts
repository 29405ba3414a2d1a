import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteLru } from './byte-lru.js';

describe('ByteLru', () => {
  it('drops what was used longest ago', () => {
    const lru = new ByteLru<number>(30);
    lru.set('a', 1, 8);
    lru.set('b', 2, 8);
    lru.set('c', 3, 8);
    expect(lru.get('a')).toBe(1);
    lru.set('d', 4, 8);
    expect([lru.get('a'), lru.get('b'), lru.get('c'), lru.get('d')]).toEqual([1, undefined, 3, 4]);
  });

  it('never holds more than its bound, whatever is put in', () => {
    const puts = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(120)));
    fc.assert(
      fc.property(puts, (items) => {
        const lru = new ByteLru<number>(100);
        let held = new Map<string, number>();
        for (const [key, bytes] of items) {
          lru.set(key, bytes, bytes);
          expect(lru.bytes).toBeLessThanOrEqual(100);
          held = new Map([...held, [key, bytes + 2]]);
        }
        const kept = [...held].filter(([key]) => lru.get(key) !== undefined);
        expect(lru.size).toBe(kept.length);
        expect(lru.bytes).toBe(kept.reduce((sum, [, bytes]) => sum + bytes, 0));
      }),
    );
  });

  it('forgets the old value of a key whose new value is too large', () => {
    const lru = new ByteLru<number>(10);
    lru.set('a', 1, 5);
    lru.set('a', 2, 50);
    expect(lru.get('a')).toBeUndefined();
    expect(lru.bytes).toBe(0);
  });
});
