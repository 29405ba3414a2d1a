import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PublishCheckpoints } from '../../src/modules/audit/app/publish-checkpoints.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { VerifyAuditLog } from '../../src/modules/audit/index.js';
import { callAdmin } from '../support/admin-client.js';
import { putHold } from '../support/legal-holds.js';
import { recordOf } from '../support/audit-log-world.js';
import { approve } from '../support/dealer-policy.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, type Persons, personBearer } from '../support/staff.js';

const SUBJECT = 'agent.of-jane-roe-5550100';
const OTHER = 'agent.other';

let service: TestService;
let admin: pg.Client;
let app: pg.Client;
let persons: Persons;
const nonces = new NoncePool();

beforeAll(async () => {
  service = await startTestService({ demo: false });
  admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  app = new pg.Client({
    connectionString: service.database.appUrl,
    options: '-c role=forecourt_app -c search_path=forecourt',
  });
  for (const client of [admin, app]) {
    client.on('error', () => undefined); // the database is dropped after the test
    await client.connect();
  }
  persons = await addPersons(service, service.organizationId);
});
afterAll(async () => {
  await admin.end();
  await app.end();
  await service.stop();
});

/** Records of one actor. @returns their ids, and the nonces that could tell who it was */
async function act(actor: string, count: number): Promise<{ eventIds: string[]; nonces: string[] }> {
  const records = Array.from({ length: count }, () => recordOf(service.organizationId, { actor }));
  const used = records.map(() => nonces.next());
  const lines = records.map((record, i) => auditLine(record, used[i]!)).join('\n');
  await app.query('SELECT append_audit($1, $2)', [service.organizationId, lines]);
  return { eventIds: records.map(({ eventId }) => eventId), nonces: used };
}

const redact = async (role: keyof Persons, body: unknown): Promise<WireAnswer> =>
  callAdmin(service, await personBearer(service, persons[role]), 'POST', 'audit/redactions', body);

/** Asks, has it approved, and asks again. */
async function redactWithApproval(body: unknown): Promise<WireAnswer> {
  const asked = await redact('compliance', body);
  expect(asked.status, asked.text).toBe(202);
  const { approval_id: approvalId } = asked.json.error.details as { approval_id: string };
  await approve(service, persons.admin, approvalId);
  return redact('compliance', body);
}

const verify = async (): ReturnType<VerifyAuditLog['run']> => {
  await service.parts.get(PublishCheckpoints).run();
  return service.parts.get(VerifyAuditLog).run(service.organizationId);
};

/** Every byte of the trail's tables and indexes on the disk that holds one of the words. */
async function pagesWith(words: readonly Buffer[]): Promise<string[]> {
  await admin.query('CHECKPOINT');
  const { rows } = await admin.query<{ name: string; bytes: Buffer }>(
    `SELECT c.relname AS name, pg_read_binary_file(pg_relation_filepath(c.oid)) AS bytes FROM pg_class c
     WHERE c.relnamespace = 'forecourt'::regnamespace AND c.relkind IN ('r', 'i') AND c.relname LIKE 'audit%' AND pg_relation_size(c.oid) > 0`,
  );
  return rows.filter(({ bytes }) => words.some((word) => bytes.includes(word))).map(({ name }) => name);
}

describe('A redaction', () => {
  it('erases a person out of all of their records, once a second person approved it', async () => {
    const theirs = await act(SUBJECT, 40);
    const others = await act(OTHER, 5);
    const before = await verify();
    expect(before).toMatchObject({ result: 'intact', redacted: 0 });
    const words = [Buffer.from(SUBJECT), ...theirs.nonces.map((nonce) => Buffer.from(nonce, 'hex'))];
    expect(await pagesWith(words)).toEqual(expect.arrayContaining([expect.stringMatching(/^audit_events_\d/)]));

    const body = { event_id: theirs.eventIds[7], scope: 'actor', ground: 'erasure_request' };
    const done = await redactWithApproval(body);
    expect(done.status, done.text).toBe(201);
    const months = [expect.stringMatching(/^audit_events_\d{4}_\d{2}$/)];
    expect(done.json.data).toMatchObject({ records: 40, more: false, superseded_exports: [], rewrite_tables: months });

    const { rows } = await admin.query<{ actor: string | null; n: number }>(
      `SELECT actor, count(*)::integer AS n FROM audit_events WHERE event_id = ANY ($1) GROUP BY 1 ORDER BY 1`,
      [[...theirs.eventIds, ...others.eventIds]],
    );
    expect(rows).toEqual([
      { actor: OTHER, n: 5 },
      { actor: null, n: 40 },
    ]);
    const record = await admin.query(
      `SELECT operation, reason, after_hash, resource_ids[1] AS about FROM audit_events WHERE event_id = $1`,
      [done.json.data.redaction_id],
    );
    expect(record.rows).toEqual([
      {
        operation: 'audit.redacted',
        reason: 'erasure_request',
        after_hash: done.json.data.content_hash,
        about: theirs.eventIds[7],
      },
    ]);
    const after = await verify();
    expect(after).toMatchObject({ result: 'intact', redacted: 40, findings: [] });
    expect((await redact('compliance', body)).json.error.details.reason, 'nothing is left of it').toBe('not_found');

    // VACUUM alone leaves the bytes in the free space of a page until something else is written there.
    const [month] = done.json.data.rewrite_tables as string[];
    await admin.query(`VACUUM (FULL) ${month!}`);
    expect(await pagesWith(words)).toEqual([]);
  });

  it('takes one record alone, and both of its values, because one nonce opens both', async () => {
    const { eventIds } = await act(OTHER, 2);
    const done = await redactWithApproval({ event_id: eventIds[0], scope: 'record', ground: 'recorded_in_error' });
    expect(done.json.data).toMatchObject({ records: 1 });
    const { rows } = await admin.query(
      'SELECT actor, client, nonce FROM audit_events WHERE event_id = ANY ($1) AND nonce IS NULL',
      [eventIds],
    );
    expect(rows).toEqual([{ actor: null, client: null, nonce: null }]);
    expect(await verify()).toMatchObject({ result: 'intact', redacted: 41 });
  });

  it('is for compliance, with a ground of the list', async () => {
    const { eventIds } = await act(OTHER, 1);
    const body = { event_id: eventIds[0], scope: 'record', ground: 'erasure_request' };
    expect((await redact('admin', body)).status).toBe(403);
    expect((await redact('auditor', body)).status).toBe(403);
    expect((await redact('compliance', { ...body, ground: 'because' })).status).toBe(400);
    const unknown = await redact('compliance', { ...body, event_id: 'req_none' });
    expect(unknown.json.error.details.reason, unknown.text).toBe('not_found');
  });

  it('does not commit without its record, and is the only change that a record takes', async () => {
    const { eventIds } = await act(OTHER, 1);
    const [eventId] = eventIds;
    const tenant = `SELECT set_config('app.tenant', '${service.organizationId}', true)`;
    await app.query(`BEGIN; ${tenant}`);
    await app.query(`SELECT * FROM redact_audit_values('req_unrecorded', $1, 'record', 'court_order', 10)`, [eventId]);
    await expect(app.query('COMMIT')).rejects.toMatchObject({ code: '23001' });
    for (const change of [`actor = NULL`, `actor = NULL, nonce = NULL`, `actor = 'x', client = NULL, nonce = NULL`]) {
      await admin.query(`BEGIN; ${tenant}; SET LOCAL ROLE forecourt_retention`);
      await expect(
        admin.query(`UPDATE audit_events SET ${change} WHERE event_id = $1`, [eventId]),
        change,
      ).rejects.toMatchObject({ code: '23001' });
      await admin.query('ROLLBACK');
    }
    await expect(
      admin.query(`UPDATE audit_events SET actor = NULL, client = NULL, nonce = NULL WHERE event_id = $1`, [eventId]),
    ).rejects.toMatchObject({ code: '23001' });
    expect(await verify()).toMatchObject({ result: 'intact' });
  });

  it('of a record under a legal hold is refused, approved or not, and nothing of it is erased', async () => {
    const { eventIds } = await act('agent.of-john-doe', 3);
    await putHold(admin, service.organizationId, 'hold.smith', { record_ids: [eventIds[1]!] });
    const refused = await redactWithApproval({ event_id: eventIds[0], scope: 'actor', ground: 'erasure_request' });
    expect({
      status: refused.status,
      code: refused.json.error.code,
      reason: refused.json.error.details.reason,
    }).toEqual({
      status: 400,
      code: 'invalid_input',
      reason: 'held',
    });
    const { rows } = await admin.query('SELECT DISTINCT actor FROM audit_events WHERE event_id = ANY ($1)', [eventIds]);
    expect(rows).toEqual([{ actor: 'agent.of-john-doe' }]);
    const free = { event_id: eventIds[2], scope: 'record', ground: 'erasure_request' };
    expect((await redactWithApproval(free)).status, 'a record beside it').toBe(201);
  });

  it('that nobody recorded is seen', async () => {
    const { eventIds } = await act(OTHER, 1);
    await admin.query('ALTER TABLE audit_events DISABLE TRIGGER USER');
    await admin.query(`UPDATE audit_events SET actor = NULL, client = NULL, nonce = NULL WHERE event_id = $1`, [
      eventIds[0],
    ]);
    await admin.query('ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_are_final');
    const { result, findings } = await verify();
    expect({ result, kinds: findings.map((f) => f.kind) }).toEqual({ result: 'tampered', kinds: ['value_erased'] });
  });
});
