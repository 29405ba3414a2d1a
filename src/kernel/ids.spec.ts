import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isMintedId, newRequestId, traceIdOfRequest, vehicleIdOf } from './ids.js';

describe('ids', () => {
  it('of vehicles are the base32 form of a seeded hash, stable and mintable', () => {
    const seed = randomBytes(16);
    const id = vehicleIdOf(seed, '1HGCM82633A004352');
    const digest = createHash('sha256').update(seed).update('\0').update('1HGCM82633A004352').digest();
    let bits = '';
    for (const byte of digest) bits += byte.toString(2).padStart(8, '0');
    const expected = Array.from(
      { length: 25 },
      (_, i) => 'abcdefghijklmnopqrstuvwxyz234567'[parseInt(bits.slice(i * 5, i * 5 + 5), 2)],
    ).join('');
    expect(id).toBe(`veh.${expected}`);
    expect(isMintedId(id)).toBe(true);
    expect(vehicleIdOf(seed, '1HGCM82633A004352')).toBe(id);
  });

  it('of vehicles differ by VIN and by rooftop seed', () => {
    const seed = randomBytes(16);
    const ids = new Set(Array.from({ length: 2000 }, (_, i) => vehicleIdOf(seed, `VIN${String(i)}`)));
    expect(ids.size).toBe(2000);
    expect(vehicleIdOf(randomBytes(16), 'VIN1')).not.toBe(vehicleIdOf(seed, 'VIN1'));
  });

  it('of requests never repeat, and name their trace', () => {
    const ids = Array.from({ length: 20_000 }, newRequestId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
    expect(traceIdOfRequest(ids[0]!)).toBe(`trc_${ids[0]!.slice(4)}`);
    expect(ids[0]).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  });
});
