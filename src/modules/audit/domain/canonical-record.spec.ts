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
      '["a1","req_1","2026-11-30T06:00:00.000Z","north-group","trc_1","mcp","dealer.inventory.search","core","key","c0",null,' +
        '["north.main","north.west"],[],"allow",null,null,"succeeded",null,"display"]',
    );
    expect(leafOf(canonicalRecord(RECORD, null, null)).toString('hex')).toBe(
      '7d6982cd9c302189fff3ac682ff0129c5891a4aaab628e746e0cddc1f473b03c',
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

  it('refuses bytes of another version', () => {
    expect(() => decodeCanonical(Buffer.from('["a2"]'))).toThrow('not a canonical audit record');
  });

  it('refuses a time that is none', () => {
    expect(() => auditLine({ ...RECORD, occurredAt: NaN }, NONCE)).toThrow(RangeError);
  });
});
