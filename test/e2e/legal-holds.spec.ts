import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { RemindOfHolds } from '../../src/modules/holds/app/remind-of-holds.js';
import { ManageStaff } from '../../src/modules/staff/index.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin } from '../support/admin-client.js';
import { approve } from '../support/dealer-policy.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPerson, addPersons, operatorOrigin, type Persons, personBearer } from '../support/staff.js';

const HOUR_MS = 3_600_000;

let service: TestService;
let admin: pg.Client;
let persons: Persons;
let lateMs = 0;
let mailFolder: string;

beforeAll(async () => {
  const clock = { now: (): number => Date.now() + lateMs };
  mailFolder = await mkdtemp(join(tmpdir(), 'hold-mails-'));
  service = await startTestService({ demo: false, clock, env: { AUDIT_MAIL_DIR: mailFolder } });
  admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  admin.on('error', () => undefined);
  await admin.connect();
  persons = await addPersons(service, service.organizationId);
  const [rooftop] = DEMO_GROUP.rooftops;
  await service.parts.get(CreateDealerGroup).run({
    ...{ organizationId: 'org.neighbour', name: 'Neighbour', legalName: null, website: null },
    rooftops: [{ ...rooftop!, rooftopId: 'roof.neighbour' }],
  });
  await addEvents(service.organizationId, rooftop!.rooftopId, 1500);
  await addEvents('org.neighbour', 'roof.neighbour', 3);
});
afterAll(async () => {
  await admin.end();
  await service.stop();
  await rm(mailFolder, { recursive: true, force: true });
});

const addEvents = (organizationId: string, rooftopId: string, count: number): Promise<unknown> =>
  admin.query(
    `INSERT INTO idempotency_keys (organization_id, owner, operation, key_hash, fingerprint, request_id, reply)
     SELECT $1, 'key.a', $2, sha256(convert_to($1 || i, 'UTF8')), sha256('f'), 'req_' || i, '{}' FROM generate_series(1, $3::integer) AS i`,
    [organizationId, rooftopId, count],
  );

type Role = keyof Persons;
const as = async (role: Role, method: string, path: string, body?: object): Promise<WireAnswer> =>
  callAdmin(service, await personBearer(service, persons[role]), method, path, body);

const HOLD = { matter: 'Roe v. Harbor', reason: 'letter of 30 November', categories: ['idempotency_record'] };
const place = async (more: object = {}): Promise<Record<string, unknown>> => {
  const placed = await as('compliance', 'POST', 'holds', { ...HOLD, ...more });
  expect(placed.status, placed.text).toBe(201);
  return placed.json.data as Record<string, unknown>;
};

/** The root of RFC 9162 over `category LF id`, as a person with the list alone would compute it. */
function rootOf(records: readonly { category: string; record_id: string }[]): string {
  const sha256 = (...parts: (string | Buffer)[]): Buffer => {
    const digest = createHash('sha256');
    for (const part of parts) digest.update(part);
    return digest.digest();
  };
  let row = records.map((r) => sha256(Buffer.of(0), `${r.category}\n${r.record_id}`));
  while (row.length > 1)
    row = Array.from({ length: Math.ceil(row.length / 2) }, (_, i) =>
      row[2 * i + 1] === undefined ? row[2 * i]! : sha256(Buffer.of(1), row[2 * i]!, row[2 * i + 1]!),
    );
  return row[0]!.toString('hex');
}

describe('Compliance', () => {
  it('places a hold, and whoever has its list computes the root of the answer', async () => {
    const hold = await place();
    expect(hold).toMatchObject({ state: 'active', placed_by: persons.compliance, released_at: null });
    expect(hold['covered'], 'and the keys of requests of this test').toBeGreaterThanOrEqual(1500);
    const records: { category: string; record_id: string }[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const page = await as('auditor', 'GET', `holds/${String(hold['hold_id'])}/records${query}`);
      expect(page.status, page.text).toBe(200);
      const data = page.json.data as { records: typeof records; next_cursor?: string | null };
      records.push(...data.records);
      cursor = data.next_cursor ?? (page.json as { next_cursor?: string | null }).next_cursor ?? null;
    }
    expect(records).toHaveLength(hold['covered'] as number);
    expect(rootOf(records)).toBe(hold['root']);
    const covered = await as('auditor', 'GET', `holds/${String(hold['hold_id'])}/coverage`);
    expect(covered.json.data).toMatchObject({ missing: 0 });
    const bound = await as('auditor', 'GET', 'holds/on-record?category=idempotency_record&record_id=req_7');
    expect((bound.json.data as { holds: { hold_id: string }[] }).holds.map((h) => h.hold_id)).toEqual([
      hold['hold_id'],
    ]);
    const list = await as('auditor', 'GET', 'holds?limit=1');
    expect((list.json.data as { holds: object[] }).holds).toMatchObject([{ hold_id: hold['hold_id'] }]);
  });

  it('alone places holds, and says completely what they are', async () => {
    for (const role of ['admin', 'auditor'] as const) expect((await as(role, 'POST', 'holds', HOLD)).status).toBe(403);
    for (const wrong of [
      { categories: ['everything'] },
      { categories: [] },
      { matter: ' ' },
      { reason: '' },
      { from: '2026-01-01' },
      { from: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' },
      { surprise: 1 },
    ]) {
      const refused = await as('compliance', 'POST', 'holds', { ...HOLD, ...wrong });
      expect(refused.json.error.code, JSON.stringify(wrong)).toBe('invalid_input');
    }
    expect((await as('admin', 'GET', 'holds')).status).toBe(403);
    const absent = await as('compliance', 'GET', 'holds/hold.absent');
    expect(absent.json.error.details.reason).toBe('not_found');
  });
});

describe('A release', () => {
  const release = (holdId: unknown, reason = 'settled', role: Role = 'compliance'): Promise<WireAnswer> =>
    as(role, 'POST', `holds/${String(holdId)}/release`, { reason });
  const approvalOf = (answer: WireAnswer): string => {
    expect(answer.status, answer.text).toBe(202);
    return (answer.json.error.details as { approval_id: string }).approval_id;
  };

  it('needs a second person for exactly this hold and reason, and cools down', async () => {
    const { hold_id: holdId } = await place();
    expect((await release(holdId, 'settled', 'admin')).status).toBe(403);
    const approvalId = approvalOf(await release(holdId));
    const { content_hash: contentHash } = (await as('auditor', 'GET', `approvals/${approvalId}`)).json.data as {
      content_hash: string;
    };
    const own = await as('compliance', 'POST', `approvals/${approvalId}/approve`, { content_hash: contentHash });
    expect(own.status, 'nobody approves their own').toBe(403);
    await approve(service, persons.admin, approvalId);
    expect(approvalOf(await release(holdId, 'another reason')), 'another reason is another request').not.toBe(
      approvalId,
    );
    const released = await release(holdId);
    expect(released.json.data, released.text).toMatchObject({ state: 'cooling', release_reason: 'settled' });
    const { released_at: at, free_from: free } = released.json.data as { released_at: string; free_from: string };
    expect(Date.parse(free) - Date.parse(at)).toBe(72 * HOUR_MS);
    expect((await release(holdId)).json.error.code, 'once').toBe('rate_limited');
    expect((await release('hold.absent')).json.error.details.reason).toBe('not_found');
  });

  it('does not happen when the approver is none any more', async () => {
    const { hold_id: holdId } = await place();
    const approvalId = approvalOf(await release(holdId));
    const second = await addPerson(service, service.organizationId, 'admin');
    await approve(service, second, approvalId);
    const { version } = await service.parts.get(ManageStaff).get(service.organizationId, second);
    await service.parts
      .get(ManageStaff)
      .change(service.organizationId, second, { expectedVersions: [version], role: 'auditor' }, operatorOrigin());
    expect((await release(holdId)).status).toBe(202);
    expect((await as('auditor', 'GET', `holds/${String(holdId)}`)).json.data).toMatchObject({ state: 'active' });
  });
});

describe('A notice', () => {
  it('is read and acknowledged by the person whom it is for, and reminded of and escalated until then', async () => {
    const { hold_id: holdId } = await place();
    const path = `holds/${String(holdId)}/notices`;
    const body = {
      person_ids: [persons.auditor, persons.admin],
      message: 'Keep all mail.',
      escalate_to: persons.compliance,
    };
    const sent = await as('compliance', 'POST', path, body);
    expect(sent.status, sent.text).toBe(201);
    expect((await as('compliance', 'POST', path, { ...body, person_ids: ['staff.absent'] })).status).toBe(400);
    const mine = async (role: Role): Promise<Record<string, unknown>[]> =>
      ((await as(role, 'GET', 'hold-notices')).json.data as { notices: Record<string, unknown>[] }).notices;
    const [notice] = await mine('auditor');
    expect(notice).toMatchObject({ hold_id: holdId, message: 'Keep all mail.', acknowledged_at: null });
    const acknowledge = (role: Role): Promise<WireAnswer> =>
      as(role, 'POST', `hold-notices/${String(notice?.['notice_id'])}/acknowledge`);
    expect((await acknowledge('admin')).json.error.details.reason, 'not theirs').toBe('not_found');
    expect((await acknowledge('auditor')).status).toBe(200);
    expect((await acknowledge('auditor')).status, 'again').toBe(200);

    const reminding = service.parts.get(RemindOfHolds);
    for (let n = 1; n <= 6; n++) {
      lateMs = n * 73 * HOUR_MS;
      await reminding.run();
    }
    lateMs = 0;
    const listed = (await as('auditor', 'GET', path)).json.data as { notices: Record<string, unknown>[] };
    const of = (personId: string) => listed.notices.find((n) => n['person_id'] === personId);
    expect(of(persons.auditor)).toMatchObject({ reminders: 0, escalated_at: null });
    expect(of(persons.admin)).toMatchObject({ reminders: 3, acknowledged_at: null });
    expect(of(persons.admin)?.['escalated_at']).not.toBeNull();
    expect(of(persons.compliance)).toMatchObject({ about_notice: of(persons.admin)?.['notice_id'] });
    const { rows } = await admin.query<{ operation: string; n: number }>(
      `SELECT operation, count(*)::integer AS n FROM audit_events WHERE operation LIKE 'holds.notices.%' AND outcome = 'succeeded'
         AND operation NOT IN ('holds.notices.own', 'holds.notices.list') GROUP BY 1 ORDER BY 1`,
    );
    expect(rows).toEqual([
      { operation: 'holds.notices.acknowledge', n: 2 },
      { operation: 'holds.notices.escalate', n: 1 },
      { operation: 'holds.notices.remind', n: 3 },
      { operation: 'holds.notices.send', n: 1 },
    ]);
  });

  it('is sent where compliance wants it, and shows that it was', async () => {
    const { hold_id: holdId } = await place();
    const wanted = { kind: 'mail', address: 'auditor@group.example', person_id: persons.auditor };
    expect((await as('auditor', 'POST', 'hold-notice-targets', wanted)).status).toBe(403);
    const created = await as('compliance', 'POST', 'hold-notice-targets', wanted);
    expect(created.status, created.text).toBe(201);
    const targetId = String((created.json.data as Record<string, unknown>)['target_id']);
    const path = `holds/${String(holdId)}/notices`;
    await as('compliance', 'POST', path, { person_ids: [persons.auditor], message: 'Keep the call list.' });
    const delivery = async (): Promise<Record<string, unknown>> =>
      (await as('compliance', 'GET', path)).json.data.notices[0].deliveries[0] as Record<string, unknown>;
    await expect.poll(async () => (await delivery())['state'], { timeout: 30_000 }).toBe('delivered');
    const sent = await delivery();
    expect(sent).toMatchObject({ step: 'notice', target_id: targetId, attempts: 1, last_failure: null });
    expect(await readdir(mailFolder)).toEqual([`${String(sent['message_id'])}.eml`]);
    const [target] = (await as('auditor', 'GET', 'hold-notice-targets')).json.data.targets as { delivery: object }[];
    expect(target).toMatchObject({ target_id: targetId, delivery: { failures: 0, problem: null } });
    expect((await as('admin', 'POST', `hold-notice-targets/${targetId}/revoke`)).status).toBe(200);
  });
});
