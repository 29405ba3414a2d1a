import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/kernel/ports/audit-recorder.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { ocsfEvent, OCSF_VERSION } from '../../src/modules/audit/domain/exports/ocsf-event.js';
import { leafOf } from '../../src/modules/audit/domain/stored-record.js';

/** OCSF events against the pinned version of the class that they claim. */
const schema = JSON.parse(
  readFileSync(new URL('../support/ocsf-api-activity.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;
const holds = new Ajv2020({ allErrors: true, strictRequired: false }).compile(schema);

const word = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const name = fc.stringMatching(/^[a-z][a-z0-9.]{0,11}$/);
const hash = fc.option(fc.stringMatching(/^[0-9a-f]{64}$/));
const record = fc.record<AuditRecord>({
  eventId: name,
  occurredAt: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  organizationId: name,
  traceId: name,
  surface: fc.constantFrom('mcp', 'a2a', 'ops', 'admin', 'worker', 'command'),
  operation: name,
  profile: fc.option(name),
  actorKind: fc.constantFrom('anonymous', 'agent', 'key', 'person', 'system'),
  actor: fc.option(name),
  client: fc.option(name),
  rooftopIds: fc.array(name, { maxLength: 3 }),
  resourceIds: fc.array(word, { maxLength: 3 }),
  decision: fc.constantFrom('allow', 'deny'),
  reason: fc.option(name),
  policyVersion: fc.option(name),
  outcome: fc.constantFrom('succeeded', 'failed', 'denied'),
  failureCode: fc.option(name),
  purpose: fc.option(name),
  beforeHash: hash,
  afterHash: hash,
});

function eventOf(audited: AuditRecord, isErased: boolean): Record<string, unknown> {
  const canon = Buffer.from(auditLine(audited, '0'.repeat(32)).split('\t')[3] ?? '');
  const { actor, client } = isErased ? { actor: null, client: null } : audited;
  const recordedAt = '2026-11-30T12:00:00.000000Z';
  const stored = { seq: 7, leafHash: leafOf(canon), canon, recordedAt, actor, client, nonce: null };
  return ocsfEvent(stored, 'gateway/audit/org') as Record<string, unknown>;
}

describe('An OCSF event', () => {
  it('has what the pinned version asks of its class, whatever the record says, also after a redaction', () => {
    fc.assert(
      fc.property(record, fc.boolean(), (audited, isErased) => {
        const event = eventOf(audited, isErased);
        holds(event);
        expect(holds.errors).toBeNull();
        expect(event['type_uid']).toBe((event['class_uid'] as number) * 100 + (event['activity_id'] as number));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['metadata', 'actor', 'api', 'src_endpoint', 'time', 'severity_id'])(
    'would not pass without %s',
    (missing) => {
      const [audited] = fc.sample(record, 1);
      const event = Object.entries(eventOf(audited!, false)).filter(([attribute]) => attribute !== missing);
      expect(holds(Object.fromEntries(event))).toBe(false);
      expect(OCSF_VERSION).toBe('1.4.0');
    },
  );
});
