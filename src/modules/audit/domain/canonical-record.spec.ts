import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import { auditLine, canonicalRecord } from './canonical-record.js';
import { decodeCanonical, leafOf } from './stored-record.js';

const NONCE = '00112233445566778899aabbccddeeff';
const RECORD: AuditRecord = {
  eventId: 'req_1',
  occurredAt: Date.parse('2026-11-30T06:00:00Z'),
  organizationId: 'north-group',
  traceId: 'trc_1',
  surface: 'mcp',
  operation: 'dealer.inventory.search',
  profile: 'core',
  actorKind: 'key',
  actor: 'abcdefghij',
  client: null,
  rooftopIds: ['north.main', 'north.west'],
  resourceIds: [],
  decision: 'allow',
  reason: null,
  policyVersion: null,
  outcome: 'succeeded',
  failureCode: null,
  purpose: 'display',
};

describe('the canonical form', () => {
  it('is pinned byte for byte: stored leaves depend on it', () => {
    expect(canonicalRecord(RECORD, 'c0', null)).toBe(
      '["a2","req_1","2026-11-30T06:00:00.000Z","north-group","trc_1","mcp","dealer.inventory.search","core","key","c0",null,' +
        '["north.main","north.west"],[],"allow",null,null,"succeeded",null,"display",null,null]',
    );
    const changed = canonicalRecord({ ...RECORD, beforeHash: 'b'.repeat(64), afterHash: null }, 'c0', null);
    expect(changed.endsWith(`"display","${'b'.repeat(64)}",null]`)).toBe(true);
    expect(leafOf(canonicalRecord(RECORD, null, null)).toString('hex')).toBe(
      '6cff6099e089646cfed3cebcf8f5e46c5e47f3015e6102c4845ac00ef8a97ffa',
    );
  });

  it('commits to the actor with the nonce as key and the field name in front', () => {
    const [nonce, actor, client, canon] = auditLine(RECORD, NONCE).split('\t');
    const expected = createHmac('sha256', Buffer.from(NONCE, 'hex')).update('actor\0abcdefghij').digest('hex');
    expect([nonce, actor, client]).toEqual([NONCE, 'abcdefghij', '']);
    expect(decodeCanonical(Buffer.from(canon!))).toMatchObject({ actorCommitment: expected, clientCommitment: null });
  });

  it('is one line with three tabs whatever the codes hold', () => {
    const odd = 'a\tb\nc\r"\\\u2028\u0000\u007f é 🚗 \ud800';
    const line = auditLine(
      { ...RECORD, operation: odd, reason: odd, rooftopIds: [odd], resourceIds: [odd, odd] },
      NONCE,
    );
    expect(line.split('\t')).toHaveLength(4);
    expect(line).not.toContain('\n');
    expect(decodeCanonical(Buffer.from(line.split('\t')[3]!)).operation).toBe(
      'a\tb\nc\r"\\\u2028\ufffd\u007f é 🚗 \ufffd',
    );
  });

  it('reads records of the version before, which say nothing of before and after', () => {
    const a1 =
      '["a1","req_1","2026-11-30T06:00:00.000Z","north-group","trc_1","mcp","dealer.inventory.search","core","key","c0",null,' +
      '["north.main","north.west"],[],"allow",null,null,"succeeded",null,"display"]';
    const a2 = canonicalRecord(RECORD, 'c0', null);
    expect(decodeCanonical(Buffer.from(a1))).toEqual(decodeCanonical(Buffer.from(a2)));
    expect(decodeCanonical(Buffer.from(a1))).toMatchObject({ beforeHash: null, afterHash: null });
    expect(leafOf(a1).toString('hex')).toBe('f31fb15b87124047eb9a612bb6ae34b3cce884cdd04da4944bcd5b2322979b37');
  });

  it('refuses bytes of another version, and of another length of a known one', () => {
    const a2 = canonicalRecord(RECORD, 'c0', null);
    for (const bytes of [
      '["a3"]',
      '["a2"]',
      a2.replace('"a2"', '"a1"'),
      a2.replace('"a2"', '"a3"'),
      a2.replace('"a2"', '"toString"'),
    ])
      expect(() => decodeCanonical(Buffer.from(bytes))).toThrow('not a canonical audit record');
  });

  it('refuses a time that is none', () => {
    expect(() => auditLine({ ...RECORD, occurredAt: NaN }, NONCE)).toThrow(RangeError);
  });
});
