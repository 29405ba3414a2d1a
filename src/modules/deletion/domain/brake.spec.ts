import { describe, expect, it } from 'vitest';
import { Brake, brakeOnPreview } from './brake.js';
import { BatchSize } from './batch-size.js';
import { clockFault } from './clock-sanity.js';
import type { PartPreview } from './run-preview.js';

const part = (name: string, records: number, going: number): PartPreview => ({
  category: 'lead',
  action: 'delete',
  part: name,
  records,
  over: going,
  going,
  held: 0,
  inUse: 0,
  rooftops: {},
  holds: {},
  first: null,
  last: null,
});
const of = (name: string) => ({ category: 'lead', action: 'delete', part: name }) as const;
const none = new Map();

describe('the brake', () => {
  it('lets a share of a table go, and a thousand records always', () => {
    const settings = { share: 0.5, earlier: none, beyond: false };
    expect(brakeOnPreview([part('small', 900, 900)], settings)).toBeUndefined();
    expect(brakeOnPreview([part('large', 10_000, 5000)], settings)).toBeUndefined();
    const over = { kind: 'share', part: 'large', measured: 5001, allowed: 5000 };
    expect(brakeOnPreview([part('large', 10_000, 5001)], settings)).toEqual(over);
    expect(brakeOnPreview([part('large', 10_000, 5001)], { ...settings, beyond: true })).toBeUndefined();
  });

  it('lets three times the usual go, once it knows what is usual', () => {
    const parts = [part('large', 100_000, 6001)];
    const with_ = (counts: readonly number[]) => ({
      share: 1,
      earlier: new Map([['lead', counts] as const]),
      beyond: false,
    });
    expect(brakeOnPreview(parts, with_([2000, 10]))).toBeUndefined();
    expect(brakeOnPreview(parts, with_([2000, 10, 9000]))).toEqual({
      kind: 'median',
      part: 'lead',
      measured: 6001,
      allowed: 6000,
    });
  });

  it('counts batch by batch, with what went before', () => {
    const brake = new Brake([part('leads', 4000, 4000)], { share: 0.5, earlier: none, beyond: false });
    brake.note(of('leads'), 1000);
    expect(brake.take(of('leads'), 1000)).toBeUndefined();
    expect(brake.take(of('leads'), 1)).toMatchObject({ kind: 'share', measured: 2001 });
    expect(brake.take(of('unknown'), 1)).toMatchObject({ kind: 'share', allowed: 0 });
  });

  it('counts each action by itself, in shares and in what is usual', () => {
    const redacting = { ...part('trail', 4000, 2001), category: 'audit_event', action: 'redact' } as const;
    const deleting = { ...redacting, action: 'delete', going: 2000 } as const;
    const settings = { share: 0.5, earlier: new Map([['audit_event', [1, 1, 1]]]), beyond: false };
    expect(brakeOnPreview([deleting], settings)).toMatchObject({ kind: 'median', part: 'audit_event' });
    expect(brakeOnPreview([redacting], settings)).toMatchObject({
      kind: 'share',
      part: 'trail/redact',
      measured: 2001,
    });
    expect(brakeOnPreview([{ ...redacting, going: 2000 }], settings)).toBeUndefined();
    const usual = { ...settings, earlier: new Map([['audit_event/redact', [600, 600, 600]]]) };
    expect(brakeOnPreview([{ ...redacting, going: 2000 }], usual)).toMatchObject({
      part: 'audit_event/redact',
      allowed: 1800,
    });
    expect(brakeOnPreview([deleting, { ...redacting, going: 1800 }], usual)).toBeUndefined();
  });
});

describe('clocks', () => {
  const moment = (database: number, node = database, monotonic = database) => ({ database, node, monotonic });

  it('may be two minutes apart, and may not jump by five', () => {
    expect(clockFault(moment(0, 120_000), undefined)).toBeUndefined();
    expect(clockFault(moment(0, -120_001), undefined)).toMatchObject({ kind: 'clock', part: 'apart_ms' });
    const before = moment(1_000_000);
    expect(clockFault(moment(9_000_000), before)).toBeUndefined();
    expect(clockFault(moment(1_300_001, 1_300_001, 1_000_000), before)).toMatchObject({ part: 'jump_ms' });
    expect(clockFault(moment(699_999, 699_999, 1_000_000), before)).toMatchObject({ part: 'jump_ms' });
  });
});

describe('the size of a batch', () => {
  it('grows while batches are fast, never past a thousand, and shrinks when one is slow or refused', () => {
    const size = new BatchSize();
    for (let i = 0; i < 5; i++) size.took(1);
    expect(size.next).toBe(1000);
    size.took(101);
    expect(size.next).toBe(500);
    for (let i = 0; i < 9; i++) size.refused();
    expect(size.next).toBe(1);
    size.took(60);
    expect(size.next).toBe(1);
  });
});
