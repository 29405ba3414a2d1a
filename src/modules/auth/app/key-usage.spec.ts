import { describe, expect, it } from 'vitest';
import type { StoredKey } from './key-store.js';
import { KeyUsage } from './key-usage.js';

const key = (keyId: string, organizationId = 'north'): StoredKey => ({ keyId, organizationId }) as StoredKey;

function parts() {
  const written: [string, readonly string[], number][] = [];
  const clock = { time: 600_000, now: () => clock.time };
  const store = {
    down: false,
    write(organizationId: string, keyIds: readonly string[], minute: number): Promise<void> {
      if (store.down) return Promise.reject(new Error('away'));
      written.push([organizationId, keyIds, minute]);
      return Promise.resolve();
    },
  };
  return { written, clock, store, usage: new KeyUsage(store, clock) };
}

describe('the last use of keys', () => {
  it('is written to the minute, once a minute for each key, and never by the call itself', async () => {
    const { written, clock, usage } = parts();
    for (let i = 0; i < 100; i++) usage.note(key('a'));
    usage.note(key('b'));
    usage.note(key('c', 'south'));
    expect(written).toEqual([]);
    clock.time += 59_999;
    usage.note(key('a'));
    await usage.flush();
    await usage.flush();
    expect(written).toEqual([
      ['north', ['a', 'b'], 600_000],
      ['south', ['c'], 600_000],
    ]);
    clock.time += 1;
    usage.note(key('a'));
    await usage.flush();
    expect(written.at(-1)).toEqual(['north', ['a'], 660_000]);
    expect(written).toHaveLength(3);
  });

  it('waits while the store is away', async () => {
    const { written, store, usage } = parts();
    usage.note(key('a'));
    store.down = true;
    await expect(usage.flush()).rejects.toThrow('away');
    store.down = false;
    await usage.flush();
    expect(written).toEqual([['north', ['a'], 600_000]]);
  });
});
