import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompactRange } from '../log/compact-range.js';
import { auditLine } from '../canonical-record.js';
import { csvLine } from './csv-line.js';
import { gapOf } from './gap-hashes.js';
import { OCSF_VERSION, ocsfEvent } from './ocsf-event.js';
import { webhookHeaders } from './stream-signature.js';

const leaf = (n: number): Buffer => createHash('sha256').update(String(n)).digest();

/** Reads one line of RFC 4180. */
function readCsv(line: string): string[] {
  const cells = line.slice(0, -2).matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g);
  const texts = [...cells].map(([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );
  return texts.slice(0, -1);
}

describe('a line of CSV', () => {
  it.each(['=cmd()', '+1', '-1', '@x', '\tx', '\rx', '\uff1dx'])('keeps %j text', (cell) => {
    expect(csvLine([cell])).toContain(`'${cell}`);
  });

  it('gives back every cell', () => {
    const cell = fc.string().filter((text) => !/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
        const line = csvLine([...cells, 'end']);
        expect(line.endsWith('end\r\n')).toBe(true);
        expect(readCsv(line)).toEqual([...cells, 'end']);
      }),
    );
  });
});

describe('a gap of a filtered export', () => {
  it('closes the tree as the rows themselves would', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.integer({ min: 1, max: 300 }), (from, count) => {
        const [whole, closed] = [new CompactRange(), new CompactRange()];
        for (let i = 0; i < from; i++) for (const range of [whole, closed]) range.append(leaf(i));
        const leaves = Array.from({ length: count }, (_, i) => leaf(from + i));
        for (const hash of leaves) whole.append(hash);
        const gap = gapOf(from, leaves);
        let at = from;
        for (const hash of gap.hashes) {
          let level = 0;
          while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= gap.to) level++;
          closed.appendSubtree(level, Buffer.from(hash, 'base64'));
          at += 2 ** level;
        }
        expect(Buffer.from(closed.root()).toString('hex')).toBe(Buffer.from(whole.root()).toString('hex'));
      }),
    );
  });
});

describe('an OCSF event', () => {
  it('has what class 6003 requires, and its version', () => {
    const line = auditLine(
      {
        eventId: 'req_1',
        occurredAt: 0,
        organizationId: 'org.a',
        traceId: 'trc_1',
        surface: 'admin',
        operation: 'keys.revoke',
        profile: null,
        actorKind: 'person',
        actor: 'staff.a',
        client: null,
        rooftopIds: ['roof.a'],
        resourceIds: ['key.a'],
        decision: 'allow',
        reason: null,
        policyVersion: null,
        outcome: 'succeeded',
        failureCode: null,
        purpose: null,
        beforeHash: 'a'.repeat(64),
        afterHash: 'b'.repeat(64),
      },
      '0'.repeat(32),
    );
    const canon = Buffer.from(line.split('\t')[3] ?? '');
    const recordedAt = '1970-01-01T00:00:01.000000Z';
    const record = { seq: 7, leafHash: leaf(7), canon, recordedAt, actor: 'staff.a', client: null, nonce: null };
    expect(ocsfEvent(record, 'forecourt/audit/org.a')).toMatchObject({
      class_uid: 6003,
      category_uid: 6,
      activity_id: 3,
      type_uid: 600303,
      severity_id: 1,
      status_id: 1,
      time: 0,
      metadata: { version: OCSF_VERSION, product: { name: 'Forecourt' }, sequence: 7, logged_time: 1000 },
      actor: { user: { uid: 'staff.a', type_id: 1 } },
      src_endpoint: { name: 'unknown' },
      api: { operation: 'keys.revoke' },
      resources: [{ uid: 'roof.a' }, { uid: 'key.a' }],
    });
  });
});

it('signs as Standard Webhooks has it', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  expect(webhookHeaders([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330_000, body)['webhook-signature']).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});
